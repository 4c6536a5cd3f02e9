/**
 * Adds an endpoint to the HTTP server: authorizes the request before its body is read, converts it
 * for the handler, and sends the handler's response.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../api-error.ts';
import { startTimer } from '../../clock.ts';
import type { Network } from '../../egress/ip-address.ts';
import { authorize } from './authorize.ts';
import { authorizedTransaction } from './authorized-transaction.ts';
import { clientAddress, type Hops } from './client-address.ts';
import { allowSlowBody } from './client-errors.ts';
import type { Endpoint } from './endpoint-definition.ts';
import type { ApiRequest, ApiResponse, ApiServices, Caller } from './handler.ts';
import { readJson, requireEmptyBody } from './json-body.ts';
import { securityHeaders } from './security-headers.ts';

/** The time for a streamed body to arrive: 200 MiB over a slow connection. */
const streamMsMax = 10 * 60_000;

type RouteContext = {
  readonly services: ApiServices;
  readonly stopping: AbortSignal;
  readonly trustedProxies: readonly Network[];
};

export function addRoute(
  server: FastifyInstance,
  route: Endpoint,
  { services, stopping, trustedProxies }: RouteContext,
): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  server.route({
    method: route.allowsHead ? [route.method, 'HEAD'] : route.method,
    url: route.path,
    // Before the body is read: unauthorized clients cannot make the server read one.
    onRequest: async (request, reply) => {
      const { method, headers } = request;
      const setHeaders = (values: Readonly<Record<string, string>>) => void reply.headers(values);
      const incoming = { method, headers, params: paramsWithoutNul(request), setHeaders };
      callers.set(request, await authorize(services, route, incoming));
    },
    handler: async (request, reply) => {
      if (route.streamBody) extendBodyTimeout(request);
      const caller = callers.get(request)!;
      const { db } = services.lifecycle;
      // The body may have come long after the headers. A streamed one has not come yet, and the
      // handler judges again.
      if (request.body !== undefined && !route.streamBody && route.auth !== 'none') {
        await caller.reauthorize(db, { lock: false });
      }
      const apiRequest: ApiRequest = {
        ...caller,
        requestId: request.id,
        method: request.method,
        params: paramsOf(request),
        query: request.query as Record<string, unknown>,
        headers: request.headers,
        body: bodyOf(route, request),
        setHeaders: (headers) => void reply.headers(headers),
        remoteAddress: clientAddress(hopsOf(request), trustedProxies),
        abortSignal: () => AbortSignal.any([closeSignal(reply), stopping]),
        transaction: (work) => authorizedTransaction(db, caller, work),
      };
      return send(request, reply, await route.handler(services, apiRequest));
    },
  });
}

const hopsOf = ({ socket, headers }: FastifyRequest): Hops => ({
  peer: socket.remoteAddress,
  forwardedFor: headers['x-forwarded-for'],
});

/** Replaces Node's request timeout by `streamMsMax`, after which the connection is closed. */
function extendBodyTimeout({ raw }: FastifyRequest): void {
  const { socket } = raw;
  if (socket.destroyed) return;
  const timeoutOverride = allowSlowBody(socket);
  const forceCloseTimer = startTimer(streamMsMax, () => raw.destroy());
  const stop = () => {
    timeoutOverride.stop();
    forceCloseTimer.stop();
    socket.off('close', stop);
  };
  raw.once('end', stop).once('close', stop);
  // After an early response, Node emits neither `end` nor `close` on the request.
  socket.once('close', stop);
}

/** No id contains NUL, and PostgreSQL rejects it in text. */
function paramsOf({ params }: FastifyRequest): Record<string, string> {
  const values = params as Record<string, string>;
  if (!Object.values(values).some(containsNul)) return values;
  throw new ApiError('not_found', 'There is no resource with this id.');
}

/** For authorization, which comes first: an id with NUL becomes one that does not exist. */
function paramsWithoutNul({ params }: FastifyRequest): Record<string, string> {
  const values = Object.entries(params as Record<string, string>);
  return Object.fromEntries(values.map(([name, value]) => [name, containsNul(value) ? '' : value]));
}

const containsNul = (text: string): boolean => text.includes('\0');

function bodyOf(route: Endpoint, { method, body, headers }: FastifyRequest): unknown {
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (route.streamBody) return body ?? Readable.from([]);
  const bytes = body as Buffer | undefined;
  if (route.rawBody) return bytes ?? Buffer.alloc(0);
  return route.body ? readJson(bytes, headers) : requireEmptyBody(bytes, headers);
}

function closeSignal(reply: FastifyReply): AbortSignal {
  if (reply.raw.destroyed) return AbortSignal.abort();
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  response: ApiResponse,
): FastifyReply {
  const { status = 200, headers = {}, body, text, stream } = response;
  const safetyHeaders = securityHeaders({ isFile: body === undefined && text === undefined });
  reply.code(status).headers({ 'x-request-id': request.id, ...safetyHeaders });
  if (body === undefined) return reply.headers(headers).send(stream ?? text);
  // JSON is current only now, and only for this caller.
  const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return reply.headers({ ...json, ...headers }).send(JSON.stringify(body));
}
