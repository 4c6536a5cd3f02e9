/**
 * Runs an endpoint: authorizes the request before its body is read, converts it for the handler,
 * and sends the handler's response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../api-error.ts';
import { startDeadline, startTimer } from '../../clock.ts';
import type { Network } from '../../egress/ip-address.ts';
import type { FormFields } from '../files/form-body.ts';
import { readMaterialBody } from '../files/material-body.ts';
import { openRequestFiles, type RequestFiles } from '../files/request-files.ts';
import { authorize, isStatusOfRestarting } from './authorize.ts';
import type { IncomingRequest } from './authorize-session.ts';
import { authorizedTransaction } from './authorized-transaction.ts';
import { clientAddress } from './client-address.ts';
import { allowSlowBody } from './client-errors.ts';
import type { Endpoint } from './endpoint-definition.ts';
import type { ApiRequest, ApiServices, BodyFiles, Caller } from './handler.ts';
import { readJson, requireEmptyBody } from './json-body.ts';
import { outageMsMax, retryInOutage } from './outage.ts';
import { hasBody, readBody, strangerLimits } from './request-body.ts';
import { isDisconnected, onUndelivered } from './response-delivery.ts';
import type { FoundRoute } from './router.ts';
import { type Exchange, send } from './send.ts';

/** The time for a streamed body to arrive: 200 MiB over a slow connection. */
const streamMsMax = 10 * 60_000;

type EndpointContext = {
  readonly services: ApiServices;
  readonly stopping: AbortSignal;
  readonly trustedProxies: readonly Network[];
};

export async function runEndpoint(
  context: EndpointContext,
  exchange: Exchange,
  { endpoint, params, query }: FoundRoute,
): Promise<void> {
  const { services, stopping, trustedProxies } = context;
  const { request, response } = exchange;
  const { method = '', headers } = request;
  const setHeaders = (values: Readonly<Record<string, string>>) =>
    void Object.assign(exchange.headers, values);
  const hasNul = request.url!.includes('%00') && containsNul(params);
  const incoming = { method, headers, params: hasNul ? withoutNul(params) : params, setHeaders };
  const caller = isStatusOfRestarting(endpoint)
    ? await authorizeInOutage({ services, stopping }, exchange, { endpoint, incoming })
    : await authorize(services, endpoint, incoming);
  if (endpoint.streamBody) extendBodyTimeout(request);
  const { db } = services.lifecycle;
  const uploadSignal = () => closeSignal(response, stopping);
  let waitSignal: AbortSignal | undefined;
  const abortSignal = endpoint.streamBody
    ? uploadSignal
    : () => (waitSignal ??= endSignal(response, stopping));
  const respond = async (files: RequestFiles | null) => {
    const body = await receiveBody(services, { endpoint, request, files });
    // The body may have come long after the headers. A streamed one has not come yet, and the
    // handler judges again.
    if (body && endpoint.auth !== 'none') await caller.reauthorize(db, { lock: false });
    if (hasNul) throw new ApiError('not_found', 'No resource found with this ID.');
    const apiRequest: ApiRequest = {
      ...caller,
      requestId: exchange.id,
      method,
      params,
      query,
      headers,
      body: isRead(request) ? undefined : toBody(endpoint, request, body),
      files: files ?? noFiles,
      setHeaders,
      remoteAddress: () => remoteAddressOf(request, trustedProxies),
      abortSignal,
      isDisconnected: () => isDisconnected(response),
      onUndelivered: (callback) => onUndelivered(response, callback),
      transaction: (work) => authorizedTransaction(db, caller, work),
    };
    return await endpoint.handler(services, apiRequest);
  };
  if (!endpoint.materialBody) return await send(exchange, await respond(null));
  const accountId = caller.identity?.accountId ?? params.id!;
  const onFirstFile = () => extendBodyTimeout(request);
  const files = openRequestFiles(services, { accountId, abortSignal: uploadSignal, onFirstFile });
  await send(exchange, await respond(files).finally(() => files.close()));
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const noFiles: BodyFiles = { store: async () => {}, keep: () => {} };

type ReceivedBody = { readonly text: Buffer } | { readonly fields: FormFields };

/** Returns undefined if the request has no body, or one that the handler reads. */
async function receiveBody(
  { materialBytesMax: sizes }: ApiServices,
  {
    endpoint,
    request,
    files,
  }: {
    readonly endpoint: Endpoint;
    readonly request: IncomingMessage;
    readonly files: RequestFiles | null;
  },
): Promise<ReceivedBody | undefined> {
  if (isRead(request) || endpoint.streamBody || !hasBody(request)) return undefined;
  if (!files) return { text: await readBody(request, bodyLimitsOf(endpoint)) };
  const acceptsForm = endpoint.materialBody === 'form';
  return await readMaterialBody(request, { files, acceptsForm, sizes });
}

const bodyLimitsOf = ({ auth, rawBody }: Endpoint) =>
  auth === 'none'
    ? { isStranger: true, bytesMax: strangerLimits[rawBody ? 'callback' : 'json'] }
    : {};

/** Waits for the database. */
async function authorizeInOutage(
  { services, stopping }: Pick<EndpointContext, 'services' | 'stopping'>,
  { response }: Exchange,
  { endpoint, incoming }: { readonly endpoint: Endpoint; readonly incoming: IncomingRequest },
): Promise<Caller> {
  using deadline = startDeadline(outageMsMax, [endSignal(response, stopping)]);
  return await retryInOutage(() => authorize(services, endpoint, incoming), deadline);
}

/** Replaces Node's request timeout by `streamMsMax`, after which the connection is closed. */
function extendBodyTimeout(request: IncomingMessage): void {
  const { socket } = request;
  if (socket.destroyed || request.readableEnded) return;
  const timeoutOverride = allowSlowBody(socket);
  const forceCloseTimer = startTimer(streamMsMax, () => request.destroy());
  const stop = () => {
    timeoutOverride.stop();
    forceCloseTimer.stop();
    socket.off('close', stop);
  };
  request.once('end', stop).once('close', stop);
  // After an early response, Node emits neither `end` nor `close` on the request.
  socket.once('close', stop);
}

type Params = Readonly<Record<string, string>>;

/** No id contains NUL, and PostgreSQL rejects it in text. A URL can only have it encoded. */
function containsNul(params: Params): boolean {
  for (const name in params) if (params[name]!.includes('\0')) return true;
  return false;
}

/** For authorization, which comes first: an id with NUL becomes one that does not exist. */
function withoutNul(params: Params): Params {
  const values = Object.entries(params);
  return Object.fromEntries(
    values.map(([name, value]) => [name, value.includes('\0') ? '' : value]),
  );
}

function toBody(
  endpoint: Endpoint,
  request: IncomingMessage,
  body: ReceivedBody | undefined,
): unknown {
  const { headers } = request;
  if (endpoint.streamBody) return request;
  if (body && 'fields' in body) return body.fields;
  if (endpoint.rawBody) return body?.text ?? Buffer.alloc(0);
  return endpoint.body ? readJson(body?.text, headers) : requireEmptyBody(body?.text, headers);
}

function remoteAddressOf(
  { socket, headers }: IncomingMessage,
  trustedProxies: readonly Network[],
): string | undefined {
  const hops = { peer: socket.remoteAddress, forwardedFor: headers['x-forwarded-for'] };
  return clientAddress(hops, trustedProxies);
}

/**
 * For requests that wait: also closes the connection, as Node does by default, when the client has
 * ended its side. Mostly it has gone, and the connection would be held until the wait is over.
 */
function endSignal(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const { socket } = response.req;
  const end = () => void socket.end();
  const signal = closeSignal(response, stopping);
  if (socket.readableEnded) end();
  else {
    socket.once('end', end);
    // Not another listener of the response: with those of a stream, Node would warn of a leak.
    signal.addEventListener('abort', () => socket.off('end', end), { once: true });
  }
  return signal;
}

/** Aborts when the response is closed or the service stops. */
function closeSignal(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  if (response.destroyed || stopping.aborted) return AbortSignal.abort();
  const controller = new AbortController();
  const abort = () => controller.abort();
  stopping.addEventListener('abort', abort, { once: true });
  response.once('close', () => {
    stopping.removeEventListener('abort', abort);
    abort();
  });
  return controller.signal;
}
