/**
 * The HTTP server: request ids, limits on what is read, the steps before an endpoint, and one place
 * that answers. Every answer, also to what is not even HTTP, has the contract's shape.
 */
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError } from '../../api-error.ts';
import { startTimer } from '../../clock.ts';
import type { Network } from '../../egress/ip-address.ts';
import { authorize } from './authorize.ts';
import { clientAddress, type Hops } from './client-address.ts';
import { allowSlowBody, handleClientError, trackResponse } from './client-errors.ts';
import { drainAcceptQueue } from './drain-accept-queue.ts';
import type { Endpoint } from './endpoint.ts';
import {
  errorResponse,
  internalError,
  isBodyTooLarge,
  newRequestId,
  routeNotFound,
  toApiError,
} from './error-response.ts';
import type { ApiRequest, ApiResponse, ApiServices, Caller } from './handler.ts';
import { readJson, requireEmptyBody } from './json-body.ts';
import type { Metrics } from './metrics.ts';
import { securityHeaders } from './security-headers.ts';

const bodyBytesMax = 1024 * 1024;
const headerBytesMax = 16 * 1024;
/** From the first byte of a request to its last: a client that drips is not waited for. */
const requestMsMax = 30_000;
const headersMsMax = 15_000;
/** The same for a body that is streamed to the disk: 200 MiB over a slow line. */
const streamMsMax = 10 * 60_000;
/** How often connections are held against these two. */
const connectionCheckMs = 1000;
/** What a stop leaves to those who are being answered: a long download is cut off after it. */
const drainMs = 20_000;

export type Api = {
  readonly server: FastifyInstance;
  /** Answers those who wait, finishes what is under way, then takes no more. */
  close(): Promise<void>;
};

export function createApi(
  services: ApiServices,
  {
    routes,
    metrics,
    trustedProxies = [],
  }: {
    readonly routes: readonly Endpoint[];
    readonly metrics: Metrics;
    readonly trustedProxies?: readonly Network[];
  },
): Api {
  const stopping = new AbortController();
  const server = Fastify({
    bodyLimit: bodyBytesMax,
    genReqId: newRequestId,
    http: {
      maxHeaderSize: headerBytesMax,
      headersTimeout: headersMsMax,
      connectionsCheckingInterval: connectionCheckMs,
      // Node's own answer would not have the contract's shape; `requireOneHost` gives ours.
      requireHostHeader: false,
    },
    requestTimeout: requestMsMax,
    forceCloseConnections: 'idle',
    // Whoever is still sending when we stop gets a real answer, not Fastify's own words.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // An id of whatever length is an id that does not exist; the headers' limit bounds it.
    routerOptions: { maxParamLength: headerBytesMax },
    frameworkErrors: (error, request, reply) => void sendError(services, error, request, reply),
    clientErrorHandler: handleClientError,
  });
  // A server may leave an expectation that it does not know aside (RFC 9110, 10.1.1).
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );
  // Bodies are read as bytes and parsed by us, after key, permission and rate were looked at.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.setErrorHandler((error, request, reply) => sendError(services, error, request, reply));
  addHooks(server, { services, metrics, stopping: stopping.signal });
  const [buffered, streamed] = [false, true].map((isStreamed) =>
    routes.filter((route) => (route.streamBody ?? false) === isStreamed),
  ) as [Endpoint[], Endpoint[]];
  const context = { services, stopping: stopping.signal, trustedProxies };
  for (const route of buffered) addRoute(server, { route, ...context });
  // In a context of their own: these bodies are not gathered in memory.
  void server.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', (_request, body, done) => done(null, body));
    for (const route of streamed) addRoute(inner, { route, ...context });
  });
  return {
    server,
    async close() {
      stopping.abort();
      const forceCloseTimer = startTimer(drainMs, () => server.server.closeAllConnections());
      await drainAcceptQueue(server.server);
      await server.close();
      forceCloseTimer.stop();
    },
  };
}

function addHooks(
  server: FastifyInstance,
  {
    services,
    metrics,
    stopping,
  }: { services: ApiServices; metrics: Metrics; stopping: AbortSignal },
): void {
  const { log } = services.lifecycle;
  server.addHook('onRequest', async (request, reply) => {
    trackResponse(reply.raw);
    requireOneHost(request);
    requireKnownFraming(request, reply);
    // Here rather than in a handler: nobody's body is read for a path that does not exist.
    if (request.is404) throw routeNotFound();
  });
  // A connection that is kept for another request would hold up the stop.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping.aborted) reply.raw.shouldKeepAlive = false;
    done();
  });
  server.addHook('onResponse', async (request, reply) => {
    const { id, method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const [status, ms] = [reply.statusCode, reply.elapsedTime];
    metrics.observeResponse({ method, route, status, ms });
    log.debug({ id, method, route, status, ms }, 'answered');
  });
}

/** RFC 9112, 3.2: with two of them, a proxy and we could believe in different ones. */
function requireOneHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')) return;
  throw new ApiError('invalid_request', 'The header Host must be given once.');
}

type RouteContext = {
  readonly services: ApiServices;
  readonly route: Endpoint;
  readonly stopping: AbortSignal;
  readonly trustedProxies: readonly Network[];
};

/**
 * RFC 9112, 6.1: chunks around something else are for whoever knows it. We do not, and a proxy that
 * does, or does not either, may see the end of the request elsewhere: nothing more is read here.
 */
function requireKnownFraming({ headers }: FastifyRequest, reply: FastifyReply): void {
  const coding = headers['transfer-encoding'];
  if (coding === undefined || /^\s*chunked\s*$/i.test(coding)) return;
  reply.header('connection', 'close');
  throw new ApiError('invalid_request', 'The header Transfer-Encoding must be chunked.');
}

function addRoute(
  server: FastifyInstance,
  { services, route, stopping, trustedProxies }: RouteContext,
): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  server.route({
    method: route.allowsHead ? [route.method, 'HEAD'] : route.method,
    url: route.path,
    // Before the body is read: who may not ask does not make us read.
    onRequest: async (request, reply) => {
      const { method, headers } = request;
      const setHeaders = (values: Readonly<Record<string, string>>) => void reply.headers(values);
      const incoming = { method, headers, params: paramsWithoutNul(request), setHeaders };
      callers.set(request, await authorize(services, route, incoming));
    },
    handler: async (request, reply) => {
      if (route.streamBody) extendBodyTimeout(request);
      const apiRequest: ApiRequest = {
        ...callers.get(request)!,
        requestId: request.id,
        method: request.method,
        params: paramsOf(request),
        query: request.query as Record<string, unknown>,
        headers: request.headers,
        body: bodyOf(route, request),
        setHeaders: (headers) => void reply.headers(headers),
        remoteAddress: clientAddress(hopsOf(request), trustedProxies),
        abortSignal: () => AbortSignal.any([closeSignal(reply), stopping]),
      };
      return send(request, reply, await route.handler(services, apiRequest));
    },
  });
}

const hopsOf = ({ socket, headers }: FastifyRequest): Hops => ({
  peer: socket.remoteAddress,
  forwardedFor: headers['x-forwarded-for'],
});

/** Whoever has not sent everything by then is cut off. */
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
  // A request that was answered before it was whole is forgotten, and closed by nobody.
  socket.once('close', stop);
}

/** No id holds a NUL, and the database cannot be asked about one. */
function paramsOf({ params }: FastifyRequest): Record<string, string> {
  const values = params as Record<string, string>;
  if (!Object.values(values).some(holdsNul)) return values;
  throw new ApiError('not_found', 'There is nothing with this id.');
}

/** For who asks, before it is looked at what is asked for: an id with a NUL is nobody's. */
function paramsWithoutNul({ params }: FastifyRequest): Record<string, string> {
  const values = Object.entries(params as Record<string, string>);
  return Object.fromEntries(values.map(([name, value]) => [name, holdsNul(value) ? '' : value]));
}

const holdsNul = (text: string): boolean => text.includes('\0');

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

function send(request: FastifyRequest, reply: FastifyReply, response: ApiResponse): FastifyReply {
  const { status = 200, headers = {}, body, text, stream } = response;
  const safetyHeaders = securityHeaders({ isFile: body === undefined && text === undefined });
  reply.code(status).headers({ 'x-request-id': request.id, ...safetyHeaders });
  if (body === undefined) return reply.headers(headers).send(stream ?? text);
  // What an answer says is true for the moment, and for whoever asked.
  const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return reply.headers({ ...json, ...headers }).send(JSON.stringify(body));
}

/** Without the query, which may carry a signature, and without a provider's reference. */
function loggedPath({ url, routeOptions }: FastifyRequest): string {
  const route = routeOptions.url ?? '';
  return route.endsWith(':reference') ? route : url.split('?')[0]!;
}

function sendError(
  { lifecycle: { log } }: ApiServices,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const apiError = toApiError(error) ?? internalError(request.id);
  if (apiError.code === 'internal_error') {
    const { id, method } = request;
    log.error({ error, id, method, path: loggedPath(request) }, 'failed');
  }
  // Fastify would hang up on a body that is too long, and take the answer away from a client that
  // is still sending: the rest is read and dropped, for as long as any request may take to arrive.
  // When we are stopping, `close` stands on the raw answer and is left there.
  const isStopping = reply.raw.hasHeader('connection');
  if (isBodyTooLarge(error) && !isStopping) reply.header('connection', 'keep-alive');
  return send(request, reply, errorResponse(apiError));
}
