/**
 * Runs an endpoint: authorizes the request before its body is read, converts it for the handler,
 * and sends the handler's response.
 */
import type { IncomingMessage } from 'node:http';
import { notFound } from '@vidgen/contract/api-error.ts';
import type { Network } from '../../egress/ip-address.ts';
import { startDeadline, startTimer } from '../../process/clock.ts';
import { authorize, authorizedTransaction, isStatusOfRestarting } from './authorize.ts';
import type { IncomingRequest } from './authorize-session.ts';
import { allowSlowBody } from './client-errors.ts';
import { isDisconnected, onUndelivered } from './connections.ts';
import type { Endpoint } from './endpoint-definition.ts';
import { Counts } from './enforce-rate-limit.ts';
import { outageMsMax, retryInOutage } from './error-response.ts';
import type { ApiRequest, ApiResponse, ApiServices, BodyFiles, Caller } from './handler.ts';
import { parsedBytesMax, readJson, requireEmptyBody } from './json-body.ts';
import {
  type HeldBody,
  hasBody,
  type OpenMaterialBody,
  openBody,
  type ReceivedBody,
  readBody,
} from './request-body.ts';
import { closeSignal, defaultSecondsMax, endSignal, RequestDeadline } from './request-deadline.ts';
import { clientAddress } from './request-origin.ts';
import type { FoundRoute } from './router.ts';
import { type Exchange, send, whenReadable } from './send.ts';

/** The time for a streamed body to arrive: 200 MiB over a slow connection. */
const streamMsMax = 10 * 60_000;
/** The time for the rest of it to arrive after an early response. */
const restMsMax = 30_000;

type EndpointContext = {
  readonly services: ApiServices;
  readonly stopping: AbortSignal;
  readonly trustedProxies: readonly Network[];
  readonly openMaterialBody: OpenMaterialBody | undefined;
};

type MaterialBody = ReturnType<OpenMaterialBody>;

export async function runEndpoint(
  context: EndpointContext,
  exchange: Exchange,
  found: FoundRoute,
): Promise<void> {
  const { request, response } = exchange;
  const { secondsMax = defaultSecondsMax } = found.endpoint;
  using deadline = new RequestDeadline(secondsMax);
  const held: HeldBody[] = [];
  const counts = new Counts();
  try {
    const run = { ...context, exchange, found, deadline, held, counts };
    const sent = await deadline.race(respond(run));
    if (sent.stream) await whenReadable(response, sent.stream, deadline.signal);
    deadline[Symbol.dispose]();
    await send(exchange, sent);
  } catch (error) {
    await counts.settle(error);
    // The rest of the body is not read any more.
    if (deadline.hasPassed && !request.complete) exchange.headers.connection = 'close';
    throw error;
  } finally {
    for (const body of held) body[Symbol.dispose]();
  }
}

type Run = EndpointContext & {
  readonly exchange: Exchange;
  readonly found: FoundRoute;
  readonly deadline: RequestDeadline;
  /** Released when the request is answered. */
  readonly held: HeldBody[];
  readonly counts: Counts;
};

/** Authorizes the request, receives its body and calls the handler. */
async function respond(run: Run): Promise<ApiResponse> {
  const { services, stopping, exchange, found, deadline } = run;
  const { endpoint, params } = found;
  const { request, response } = exchange;
  const { method = '', headers } = request;
  const hasNul = request.url!.includes('%00') && containsNul(params);
  const incoming = {
    method,
    headers,
    params: hasNul ? withoutNul(params) : params,
    setHeaders: (values: Readonly<Record<string, string>>) =>
      void Object.assign(exchange.headers, values),
    onCounted: run.counts.onCounted,
  };
  const caller = isStatusOfRestarting(endpoint)
    ? await authorizeInOutage({ services, stopping }, exchange, { endpoint, incoming })
    : await authorize(services, endpoint, incoming);
  const giveTime = () => {
    extendBodyTimeout(exchange);
    deadline.extend(streamMsMax);
  };
  if (endpoint.streamBody) giveTime();
  let ending: AbortSignal | undefined;
  const uploadSignal = () => (ending ??= closeSignal(response, [deadline.signal]));
  const callHandler = async (files: MaterialBody | null) => {
    const body = await receiveBody(run, { caller, files });
    if (body) deadline.endExtension();
    // The body may have come long after the headers. A streamed one has not come yet, and the
    // handler judges again.
    if (body && endpoint.auth !== 'none')
      await caller.reauthorize(services.lifecycle.db, { lock: false });
    if (hasNul) throw notFound('No resource found with this ID.');
    const received = { body: isRead(request) ? undefined : toBody(endpoint, request, body) };
    const apiRequest = toApiRequest(run, {
      ...incoming,
      ...caller,
      ...received,
      files,
      uploadSignal,
    });
    return await endpoint.handler(services, apiRequest);
  };
  if (!endpoint.materialBody || !run.openMaterialBody) return await callHandler(null);
  const files = run.openMaterialBody(services, {
    accountId: caller.identity?.accountId ?? params.id!,
    caller,
    acceptsForm: endpoint.materialBody === 'form',
    abortSignal: uploadSignal,
    onFirstFile: giveTime,
  });
  try {
    return await deadline.race(callHandler(files));
  } finally {
    await files.close();
  }
}

function toApiRequest(
  { services, stopping, trustedProxies, exchange, found, deadline }: Run,
  {
    files,
    uploadSignal,
    ...received
  }: Caller &
    IncomingRequest &
    Pick<ApiRequest, 'body'> & {
      readonly files: BodyFiles | null;
      readonly uploadSignal: () => AbortSignal;
    },
): ApiRequest {
  const { endpoint, params, query } = found;
  const { request, response, id: requestId } = exchange;
  let waitSignal: AbortSignal | undefined;
  return {
    ...received,
    requestId,
    params,
    query,
    files: files ?? noFiles,
    remoteAddress: () => remoteAddressOf(request, trustedProxies),
    abortSignal: endpoint.streamBody
      ? uploadSignal
      : () => (waitSignal ??= endSignal(response, [stopping, deadline.signal])),
    isDisconnected: () => deadline.hasPassed || isDisconnected(response),
    onUndelivered: (callback) => {
      // A client that gets an error because the time is up does not get the response either.
      let isCalled = false;
      const callOnce = () => {
        if (!isCalled) callback();
        isCalled = true;
      };
      onUndelivered(response, callOnce);
      deadline.signal.addEventListener('abort', callOnce);
    },
    async transaction(work) {
      // Nothing begins that the client could not know of.
      deadline.signal.throwIfAborted();
      return await authorizedTransaction(services.lifecycle.db, received, work);
    },
  };
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const noFiles: BodyFiles = { store: async () => {}, keep: () => {} };

/** Returns undefined if the request has no body, or one that the handler reads. */
async function receiveBody(
  { exchange: { request }, found, held, trustedProxies }: Run,
  { caller, files }: { readonly caller: Caller; readonly files: MaterialBody | null },
): Promise<ReceivedBody | undefined> {
  const { endpoint } = found;
  if (isRead(request) || endpoint.streamBody || !hasBody(request)) return undefined;
  const opened = openBody(endpoint, caller, () => remoteAddressOf(request, trustedProxies));
  held.push(opened.held);
  const body = files
    ? await files.read(request, opened.held)
    : { text: await readBody(request, opened) };
  if ('text' in body && !endpoint.rawBody) opened.held.take(parsedBytesMax(body.text));
  opened.held.arrived();
  return body;
}

/** Waits for the database. */
async function authorizeInOutage(
  { services, stopping }: Pick<EndpointContext, 'services' | 'stopping'>,
  { response }: Exchange,
  { endpoint, incoming }: { readonly endpoint: Endpoint; readonly incoming: IncomingRequest },
): Promise<Caller> {
  using deadline = startDeadline(outageMsMax, [endSignal(response, [stopping])]);
  return await retryInOutage(() => authorize(services, endpoint, incoming), deadline);
}

/**
 * Replaces Node's request timeout by `streamMsMax`, and by `restMsMax` after the response. Then the
 * connection is closed.
 */
function extendBodyTimeout({ request, response }: Exchange): void {
  const { socket } = request;
  if (socket.destroyed || request.readableEnded) return;
  const timeoutOverride = allowSlowBody(socket);
  // After an early response, Node emits neither `end` nor `close` on the request.
  const closeUnlessComplete = () => request.complete || socket.destroy();
  let timer = startTimer(streamMsMax, closeUnlessComplete);
  const onResponse = () => {
    timer.stop();
    timer = startTimer(restMsMax, closeUnlessComplete);
  };
  const stop = () => {
    timeoutOverride.stop();
    timer.stop();
    response.off('close', onResponse);
    socket.off('close', stop);
  };
  response.once('close', onResponse);
  request.once('end', stop).once('close', stop);
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
