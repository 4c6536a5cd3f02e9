/**
 * The HTTP server: limits on size and time, and the checks that come before any endpoint. Every
 * response has the contract's shape, even to bytes that are not HTTP.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { DatabaseUnavailableError } from '../../database/database.ts';
import { limitChunks } from '../../egress/chunk-limit.ts';
import type { Network } from '../../egress/ip-address.ts';
import { monotonicMs, nowMs, startTimer } from '../../process/clock.ts';
import { createHttpServer, ServerResponse as HttpResponse } from '../../process/listen.ts';
import { isStorageError } from '../../storage/storage.ts';
import { handleClientError, responsesInProgress, trackResponse } from './client-errors.ts';
import {
  drainAcceptQueue,
  limitConnections,
  requestsPerConnectionMax,
  trackConnections,
} from './connections.ts';
import type { Endpoint } from './endpoint-definition.ts';
import {
  errorResponse,
  internalError,
  newRequestId,
  outageError,
  outageResponse,
  routeNotFound,
  withRequestId,
} from './error-response.ts';
import type { ApiServices, FormatError } from './handler.ts';
import type { OpenMaterialBody } from './request-body.ts';
import { requireAllowedHost } from './request-origin.ts';
import { createRouter, type FoundRoute } from './router.ts';
import { runEndpoint } from './run-endpoint.ts';
import { type Exchange, send } from './send.ts';

const headerBytesMax = 16 * 1024;
/** From the first byte of a request to the last. */
const requestMsMax = 30_000;
const headersMsMax = 15_000;
/** How often connections are checked for both. */
const connectionCheckMs = 1000;
/** Longer than the idle timeout of common proxies, so that they close connections first. */
const keepAliveMs = 72_000;
/** Of the only endpoint that takes the connection over. */
const upgradePath = '/fleet/v1/connect';
/** How long `close` waits for responses in progress, such as long downloads. */
const drainMs = 20_000;

export type Api = {
  readonly server: Server;
  /** Accepts waiting connections, finishes the requests in progress, then stops listening. */
  close(): Promise<void>;
};

/** The error shape of unknown paths; the first pattern that matches the path counts. */
export type PathFormats = readonly (readonly [pattern: RegExp, format: FormatError])[];

type ApiOptions = {
  readonly routes: readonly Endpoint[];
  readonly pathFormats?: PathFormats;
  readonly trustedProxies?: readonly Network[];
  readonly allowedHosts?: readonly string[];
  /** For endpoints with `materialBody`; without it, their bodies have no files. */
  readonly openMaterialBody?: OpenMaterialBody;
  /** Whether `close` was called, or will be once proxies have noticed it. */
  readonly isStopping?: () => boolean;
};

export function createApi(services: ApiServices, options: ApiOptions): Api {
  const stopping = new AbortController();
  const server = createHttpServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: headersMsMax,
    requestTimeout: requestMsMax,
    connectionsCheckingInterval: connectionCheckMs,
    keepAliveTimeout: keepAliveMs,
    // Node's own response would not have the contract's shape; `requireOneHost` checks it.
    requireHostHeader: false,
    // A request without a body emits no events of a body, which cost more than the router.
    optimizeEmptyRequests: true,
    // Others may offer an upgrade that we do not take, such as `h2c` (RFC 9110, 7.8).
    shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
      url === upgradePath && headers.upgrade?.toLowerCase() === 'websocket',
  });
  // A client may end its side after the request and wait for the response, as `nc -N` does. Node
  // closes the connection without one, unless this is set, which its types do not have.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = trackConnections(server);
  limitConnections(server);
  server.on('clientError', handleClientError);
  server.on('request', createListener(services, { ...options, stopping: stopping.signal }));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const response = new HttpResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    if (head.length > 0) socket.unshift(head);
    socket.on('error', () => socket.destroy());
    response.once('finish', () => socket.destroySoon());
    server.emit('request', request, response);
  });
  // A server may ignore an expectation that it does not know (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return {
    server,
    async close() {
      stopping.abort();
      const forceCloseTimer = startTimer(drainMs, () => server.closeAllConnections());
      await drainAcceptQueue(server);
      const silence = connections.closeSilent();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
      silence.stop();
      forceCloseTimer.stop();
    },
  };
}

function createListener(
  services: ApiServices,
  options: ApiOptions & { readonly stopping: AbortSignal },
): (request: IncomingMessage, response: ServerResponse) => void {
  const { routes, stopping, trustedProxies = [], allowedHosts = [], pathFormats = [] } = options;
  const { isStopping = () => stopping.aborted, openMaterialBody } = options;
  const { log, measurements, traces } = services.lifecycle;
  const findRoute = createRouter(routes, { paramBytesMax: headerBytesMax });
  const hostRules = { publicUrl: services.publicUrl, allowedHosts };
  const context = { services, stopping, trustedProxies, openMaterialBody };
  const isLogged = log.isLevelEnabled('debug');
  return (request, response) => {
    const startedMs = monotonicMs();
    const exchange: Exchange = { request, response, id: newRequestId(), headers: {} };
    const found = findRoute(request.method!, request.url!);
    trackResponse(response, () => {
      const method = request.method!;
      const route = found?.endpoint.path ?? 'unknown';
      const status = response.statusCode;
      const ms = monotonicMs() - startedMs;
      measurements.countRequest({ method, route, status, ms });
      if (traces) {
        traces.endRequest(exchange.id, {
          name: `${method} ${route}`,
          kind: 'server',
          startMs: nowMs() - ms,
          endMs: nowMs(),
          isError: status >= 500,
          attributes: { 'http.response.status_code': status },
          traceparent: request.headers.traceparent as string | undefined,
        });
      }
      if (isLogged) log.debug({ id: exchange.id, method, route, status, ms }, 'request completed');
    });
    // A kept-alive connection would delay shutdown, or be closed when a proxy uses it again.
    if (isStopping()) response.shouldKeepAlive = false;
    const onError = (error: unknown) =>
      sendError(services, exchange, { error, found, pathFormats });
    try {
      if (!limitRequests(request)) return;
      requireOneHost(request);
      requireKnownFraming(exchange);
      // Before any byte of the body is read.
      if (!found) throw routeNotFound();
      const { url, headers, socket } = request;
      requireAllowedHost({ url: url!, headers, localAddress: socket.localAddress }, hostRules);
      whenFirst(response, () => void runEndpoint(context, exchange, found).catch(onError));
    } catch (error) {
      onError(error);
    }
  };
}

/**
 * Runs `work` when the responses before it on the connection are sent, so that a pipelining client
 * has one handler, and one open file, at a time. Never, if the connection closes before.
 */
function whenFirst(response: ServerResponse, work: () => void): void {
  if (response.socket) work();
  else response.once('socket', work);
}

/** Returns false if the connection was closed because it has too many requests or chunks. */
function limitRequests(request: IncomingMessage): boolean {
  const { socket } = request;
  if (responsesInProgress(socket) > requestsPerConnectionMax) {
    socket.destroy();
    return false;
  }
  limitChunks(request, () => socket.destroy());
  return true;
}

/** RFC 9112, 3.2: with two Host headers, a proxy might use the other one. */
function requireOneHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return;
  throw invalidRequest('The Host header must be given once.');
}

/**
 * RFC 9112, 6.1: with any other transfer coding, a proxy may see the end of the request elsewhere
 * (request smuggling). The connection is closed.
 */
function requireKnownFraming({ request, headers }: Exchange): void {
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined || /^\s*chunked\s*$/i.test(coding)) return;
  headers.connection = 'close';
  throw invalidRequest('The Transfer-Encoding header must be chunked.');
}

function sendError(
  { lifecycle: { log } }: ApiServices,
  exchange: Exchange,
  {
    error,
    found,
    pathFormats,
  }: {
    readonly error: unknown;
    readonly found: FoundRoute | null;
    readonly pathFormats: PathFormats;
  },
): void {
  const { request, response, id } = exchange;
  const isOutage = error instanceof DatabaseUnavailableError || isStorageError(error);
  const apiError = error instanceof ApiError ? error : isOutage ? outageError() : internalError(id);
  if (apiError.code === 'internal_error') {
    const path = loggedPath(request.url!, found);
    log.error({ error, id, method: request.method, path }, 'request failed');
  }
  // The client has gone, or has part of a response.
  if (response.headersSent) return void response.destroy();
  const ofPath = found ? undefined : pathFormats.find(([pattern]) => pattern.test(request.url!));
  const format = found?.endpoint.formatError ?? ofPath?.[1] ?? errorResponse;
  const formatted = format(apiError);
  const isOfContract = format === errorResponse && request.url!.startsWith('/v1/');
  const named = isOfContract ? formatted : withRequestId(formatted, id);
  void send(exchange, isOutage ? outageResponse(named) : named);
}

/** Without the query, which may contain a signature, and without a provider's reference. */
function loggedPath(url: string, found: FoundRoute | null): string {
  const route = found?.endpoint.path ?? '';
  return route.endsWith(':reference') ? route : url.split('?')[0]!;
}
