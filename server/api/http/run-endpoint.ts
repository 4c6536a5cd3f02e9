/**
 * Runs an endpoint: authorizes the request before its body is read, converts it for the handler,
 * and sends the handler's response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../api-error.ts';
import { startTimer } from '../../clock.ts';
import type { Network } from '../../egress/ip-address.ts';
import type { FormFields } from '../files/form-body.ts';
import { readMaterialBody } from '../files/material-body.ts';
import { openRequestFiles, type RequestFiles } from '../files/request-files.ts';
import { authorize } from './authorize.ts';
import { authorizedTransaction } from './authorized-transaction.ts';
import { clientAddress } from './client-address.ts';
import { allowSlowBody } from './client-errors.ts';
import type { Endpoint } from './endpoint-definition.ts';
import type { ApiRequest, ApiServices, BodyFiles } from './handler.ts';
import { readJson, requireEmptyBody } from './json-body.ts';
import { hasBody, readBody } from './request-body.ts';
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
  const incoming = { method, headers, params: withoutNul(params), setHeaders };
  const caller = await authorize(services, endpoint, incoming);
  if (endpoint.streamBody) extendBodyTimeout(request);
  const { db } = services.lifecycle;
  const abortSignal = () => closeSignal(response, stopping);
  const respond = async (files: RequestFiles | null) => {
    const body = await receiveBody(services, { endpoint, request, files });
    // The body may have come long after the headers. A streamed one has not come yet, and the
    // handler judges again.
    if (body && endpoint.auth !== 'none') await caller.reauthorize(db, { lock: false });
    if (containsNul(params)) throw new ApiError('not_found', 'There is no resource with this id.');
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
      get remoteAddress() {
        const peer = request.socket.remoteAddress;
        return clientAddress({ peer, forwardedFor: headers['x-forwarded-for'] }, trustedProxies);
      },
      abortSignal,
      transaction: (work) => authorizedTransaction(db, caller, work),
    };
    return await endpoint.handler(services, apiRequest);
  };
  if (!endpoint.materialBody) return await send(exchange, await respond(null));
  const accountId = caller.identity?.accountId ?? params.id!;
  const onFirstFile = () => extendBodyTimeout(request);
  const files = openRequestFiles(services, { accountId, abortSignal, onFirstFile });
  await send(exchange, await closeAfter(files, respond));
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const noFiles: BodyFiles = { store: async () => {}, keep: () => {} };

async function closeAfter<T>(
  files: RequestFiles,
  work: (files: RequestFiles) => Promise<T>,
): Promise<T> {
  try {
    const result = await work(files);
    await files.close();
    return result;
  } catch (error) {
    await files.close(error);
    throw error;
  }
}

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
  if (!files) return { text: await readBody(request) };
  const acceptsForm = endpoint.materialBody === 'form';
  return await readMaterialBody(request, { files, acceptsForm, sizes });
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

/** No id contains NUL, and PostgreSQL rejects it in text. */
function containsNul(params: Params): boolean {
  for (const name in params) if (params[name]!.includes('\0')) return true;
  return false;
}

/** For authorization, which comes first: an id with NUL becomes one that does not exist. */
function withoutNul(params: Params): Params {
  if (!containsNul(params)) return params;
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
