/**
 * The HTTP server: request ids, limits on size and time, and error responses. Every response has
 * the contract's shape, even to bytes that are not HTTP.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError } from '../../api-error.ts';
import { startTimer } from '../../clock.ts';
import { limitChunks } from '../../egress/chunk-limit.ts';
import type { Network } from '../../egress/ip-address.ts';
import { requireAllowedHost } from './allowed-hosts.ts';
import { handleClientError, responsesInProgress, trackResponse } from './client-errors.ts';
import { limitConnections, requestsPerConnectionMax } from './connection-limits.ts';
import { drainAcceptQueue } from './drain-accept-queue.ts';
import type { Endpoint } from './endpoint-definition.ts';
import {
  errorResponse,
  internalError,
  isBodyTooLarge,
  newRequestId,
  routeNotFound,
  toApiError,
} from './error-response.ts';
import type { ApiServices } from './handler.ts';
import type { Metrics } from './metrics.ts';
import { addRoute, send } from './route.ts';
import { trackConnections } from './silent-connections.ts';

const bodyBytesMax = 1024 * 1024;
const headerBytesMax = 16 * 1024;
/** From the first byte of a request to the last. */
const requestMsMax = 30_000;
const headersMsMax = 15_000;
/** How often connections are checked for both. */
const connectionCheckMs = 1000;
/** How long `close` waits for responses in progress, such as long downloads. */
const drainMs = 20_000;

export type Api = {
  readonly server: FastifyInstance;
  /** Accepts waiting connections, finishes the requests in progress, then stops listening. */
  close(): Promise<void>;
};

export function createApi(
  services: ApiServices,
  {
    routes,
    metrics,
    trustedProxies = [],
    allowedHosts = [],
  }: {
    readonly routes: readonly Endpoint[];
    readonly metrics: Metrics;
    readonly trustedProxies?: readonly Network[];
    readonly allowedHosts?: readonly string[];
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
      // Node's own response would not have the contract's shape; `requireOneHost` checks it.
      requireHostHeader: false,
    },
    requestTimeout: requestMsMax,
    forceCloseConnections: 'idle',
    // Requests still arriving during shutdown are answered normally instead of with Fastify's 503.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // An id of any length is looked up, and not found; `headerBytesMax` limits it.
    routerOptions: { maxParamLength: headerBytesMax },
    frameworkErrors: (error, request, reply) => void sendError(services, error, request, reply),
    clientErrorHandler: handleClientError,
  });
  const connections = trackConnections(server.server);
  limitConnections(server.server);
  // A server may ignore an expectation that it does not know (RFC 9110, 10.1.1).
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );
  // Bodies are read as bytes, and parsed after authorization and the rate limit.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.setErrorHandler((error, request, reply) => sendError(services, error, request, reply));
  addHooks(server, { services, metrics, allowedHosts, stopping: stopping.signal });
  const [buffered, streamed] = [false, true].map((isStreamed) =>
    routes.filter((route) => (route.streamBody ?? false) === isStreamed),
  ) as [Endpoint[], Endpoint[]];
  const context = { services, stopping: stopping.signal, trustedProxies };
  for (const route of buffered) addRoute(server, route, context);
  // In their own Fastify context, where bodies are not collected in memory.
  void server.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', (_request, body, done) => done(null, body));
    for (const route of streamed) addRoute(inner, route, context);
  });
  return {
    server,
    async close() {
      stopping.abort();
      const forceCloseTimer = startTimer(drainMs, () => server.server.closeAllConnections());
      await drainAcceptQueue(server.server);
      const silence = connections.closeSilent();
      await server.close();
      silence.stop();
      forceCloseTimer.stop();
    },
  };
}

function addHooks(
  server: FastifyInstance,
  {
    services,
    metrics,
    allowedHosts,
    stopping,
  }: {
    services: ApiServices;
    metrics: Metrics;
    allowedHosts: readonly string[];
    stopping: AbortSignal;
  },
): void {
  const { log } = services.lifecycle;
  const hostRules = { publicUrl: services.publicUrl, allowedHosts };
  server.addHook('onRequest', async (request, reply) => {
    trackResponse(reply.raw);
    const { socket } = request.raw;
    if (responsesInProgress(socket) > requestsPerConnectionMax) {
      reply.hijack();
      socket.destroy();
      return;
    }
    limitChunks(request.raw, () => socket.destroy());
    requireOneHost(request);
    requireKnownFraming(request, reply);
    // In a hook rather than a handler, so that no body is read for an unknown path.
    if (request.is404) throw routeNotFound();
    const { url, headers } = request;
    requireAllowedHost({ url, headers, localAddress: socket.localAddress }, hostRules);
  });
  // A kept-alive connection would delay shutdown.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping.aborted) reply.raw.shouldKeepAlive = false;
    done();
  });
  server.addHook('onResponse', async (request, reply) => {
    const { id, method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const [status, ms] = [reply.statusCode, reply.elapsedTime];
    metrics.observeResponse({ method, route, status, ms });
    log.debug({ id, method, route, status, ms }, 'request completed');
  });
}

/** RFC 9112, 3.2: with two Host headers, a proxy might use the other one. */
function requireOneHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')) return;
  throw new ApiError('invalid_request', 'The Host header must be given once.');
}

/**
 * RFC 9112, 6.1: with any other transfer coding, a proxy may see the end of the request elsewhere
 * (request smuggling). The connection is closed.
 */
function requireKnownFraming({ headers }: FastifyRequest, reply: FastifyReply): void {
  const coding = headers['transfer-encoding'];
  if (coding === undefined || /^\s*chunked\s*$/i.test(coding)) return;
  reply.header('connection', 'close');
  throw new ApiError('invalid_request', 'The Transfer-Encoding header must be chunked.');
}

/** Without the query, which may contain a signature, and without a provider's reference. */
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
    log.error({ error, id, method, path: loggedPath(request) }, 'request failed');
  }
  // Fastify would close the connection after a body that is too long, and a client that is still
  // sending would lose the response. With keep-alive, Node reads and drops the rest, within the
  // request timeout. During shutdown the raw response already has `connection: close`.
  const isStopping = reply.raw.hasHeader('connection');
  if (isBodyTooLarge(error) && !isStopping) reply.header('connection', 'keep-alive');
  return send(request, reply, errorResponse(apiError));
}
