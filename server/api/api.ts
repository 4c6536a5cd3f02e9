/**
 * The HTTP server: request ids, limits on what is read, the steps before an endpoint, and one place
 * that answers. Every answer, also to what is not even HTTP, has the contract's shape.
 */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import { Refusal } from '../refusal.ts';
import { errorReply, internalError, noSuchPath, refusalOf } from './answer.ts';
import { readJson } from './json-body.ts';
import type { Metrics } from './metrics.ts';
import type { Route } from './routes.ts';
import type { Answer, Asked, Service } from './service.ts';
import { passSteps } from './steps.ts';

const bodyBytesMax = 1024 * 1024;
const headerBytesMax = 16 * 1024;
/** From the first byte of a request to its last: a client that drips is not waited for. */
const requestMsMax = 30_000;
const headersMsMax = 15_000;

export type Api = {
  readonly server: FastifyInstance;
  /** Answers those who wait, finishes what is under way, then takes no more. */
  close(): Promise<void>;
};

export function createApi(
  service: Service,
  { routes, metrics }: { routes: readonly Route[]; metrics: Metrics },
): Api {
  const { log } = service.lifecycle;
  const stopping = new AbortController();
  const server = Fastify({
    bodyLimit: bodyBytesMax,
    genReqId: () => `req_${randomBytes(12).toString('base64url')}`,
    http: { maxHeaderSize: headerBytesMax, headersTimeout: headersMsMax },
    requestTimeout: requestMsMax,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => void answerError(log, error, request, reply),
    clientErrorHandler: answerGarbage,
  });
  // Bodies are read as bytes and parsed by us, after key, permission and rate were looked at.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.setErrorHandler((error, request, reply) => answerError(log, error, request, reply));
  server.setNotFoundHandler((request, reply) => answerError(log, noSuchPath(), request, reply));
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.answered({
      method: request.method,
      route,
      status: reply.statusCode,
      ms: reply.elapsedTime,
    });
    const { id, method } = request;
    log.debug({ id, method, route, status: reply.statusCode, ms: reply.elapsedTime }, 'answered');
  });
  for (const route of routes) addRoute(server, { service, route, stopping: stopping.signal });
  return {
    server,
    async close() {
      stopping.abort();
      await server.close();
    },
  };
}

function addRoute(
  server: FastifyInstance,
  { service, route, stopping }: { service: Service; route: Route; stopping: AbortSignal },
): void {
  const identities = new WeakMap<FastifyRequest, Asked['identity']>();
  server.route({
    method:
      route.method === 'GET' && route.path.startsWith('/results/') ? ['GET', 'HEAD'] : route.method,
    url: route.path,
    // Before the body is read: who may not ask does not make us read.
    onRequest: async (request, reply) => {
      const { authorization } = request.headers;
      const tell = (headers: Readonly<Record<string, string>>) => void reply.headers(headers);
      identities.set(request, await passSteps(service, route, { authorization, tell }));
    },
    handler: async (request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const asked: Asked = {
        method: request.method,
        params: request.params as Record<string, string>,
        query: request.query as Record<string, unknown>,
        headers: request.headers,
        body: readJson(request.body, request.headers['content-type']),
        identity: identities.get(request),
        remoteAddress: request.socket.remoteAddress,
        gone: AbortSignal.any([gone.signal, stopping]),
      };
      return await send(request, reply, await route.handle(service, asked));
    },
  });
}

function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status ?? 200).header('x-request-id', request.id);
  if (answer.stream || answer.text !== undefined) {
    return reply.headers(answer.headers ?? {}).send(answer.stream ?? answer.text);
  }
  if (answer.body === undefined) return reply.headers(answer.headers ?? {}).send();
  return reply
    .headers({ 'content-type': 'application/json; charset=utf-8', ...answer.headers })
    .send(JSON.stringify(answer.body));
}

function answerError(
  log: Log,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = refusalOf(error) ?? internalError(request.id);
  if (refusal.code === 'internal_error') {
    log.error({ error, id: request.id, method: request.method, url: request.url }, 'failed');
  }
  const { status, headers, body } = errorReply(refusal);
  return send(request, reply, { status, headers, body });
}

/** What Node's parser gave up on: answered like any other bad request, then hung up. */
function answerGarbage(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const why =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers must be at most 16 KiB.'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request took longer than 30 seconds to arrive.'
        : 'The request is not valid HTTP.';
  const { status, body } = errorReply(new Refusal('invalid_request', why));
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `x-request-id: req_${randomBytes(12).toString('base64url')}\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
