/**
 * The four calls of ModelArk, authorised, timed and paced. LIST is limited to one a second for the
 * whole account and GET to twenty, so both wait for their turn here, or are told it is too far.
 */
import { type CallThrottle, createThrottle } from '../toolkit/call-throttle.ts';
import {
  bearer,
  type CallOptions,
  createThrottledGet,
  type ReadResult,
  readMsMax,
} from '../toolkit/throttled-get.ts';
import { createUpstream, type UpstreamOutcome } from '../toolkit/upstream.ts';

export type ModelArkCallOptions = CallOptions & {
  /** Up to and with `/api/v3`; keys and model ids belong to one region. */
  readonly baseUrl: string;
  /** Calls a second of the whole account; less when several processes share it. */
  readonly listPerSecond?: number;
};

export type ModelArkCalls = {
  readonly createTimeoutMs: number;
  create(body: unknown, reference: string): Promise<UpstreamOutcome>;
  get(operation: string, signal?: AbortSignal): Promise<ReadResult>;
  list(query: URLSearchParams): Promise<ReadResult>;
  /** For who takes turns by itself, and decides when one comes what to use it for. */
  readonly throttles: { readonly get: CallThrottle; readonly list: CallThrottle };
  readonly getPerSecond: number;
  getUnthrottled(operation: string, signal?: AbortSignal): Promise<UpstreamOutcome>;
  listUnthrottled(query: URLSearchParams): Promise<UpstreamOutcome>;
  /** Stops a queued task, but erases a finished one: never to be called blindly. */
  delete(operation: string): Promise<UpstreamOutcome>;
  close(): Promise<void>;
};

const tasksPath = '/contents/generations/tasks';
const listWaitMsMax = 30_000;

export function createModelArkCalls(options: ModelArkCallOptions): ModelArkCalls {
  const upstream = createUpstream({ baseUrl: options.baseUrl });
  // The upstream reads materials before it answers, so a create may take tens of seconds.
  const createTimeoutMs = options.createTimeoutMs ?? 90_000;
  const timeoutMs = options.readTimeoutMs ?? readMsMax;
  const authorization = bearer(options.apiKey);
  const getPerSecond = options.getPerSecond ?? 20;
  const throttles = {
    get: createThrottle({ perSecond: getPerSecond }),
    // A little slower than the limit, because two calls may travel at different speeds.
    list: createThrottle({ perSecond: options.listPerSecond ?? 0.9 }),
  };
  const readOptions = { headers: authorization, timeoutMs };
  const get = createThrottledGet(upstream, { ...readOptions, perSecond: throttles.get });
  const waitMsMax = listWaitMsMax;
  const list = createThrottledGet(upstream, {
    ...readOptions,
    perSecond: throttles.list,
    waitMsMax,
  });
  const readNow = (path: string, signal?: AbortSignal) => {
    const stop = signal ? { signal } : {};
    return upstream.call({ method: 'GET', path, headers: authorization(), timeoutMs, ...stop });
  };

  return {
    createTimeoutMs,

    create: (body, reference) =>
      upstream.call({
        method: 'POST',
        path: tasksPath,
        // The second header only helps the vendor's support; it does not stop a duplicate.
        headers: { ...authorization(), 'x-client-request-id': reference },
        body,
        timeoutMs: createTimeoutMs,
      }),

    get: (operation, signal) => get(pathOf(operation), { signal }),
    list: (query) => list(`${tasksPath}?${query}`),

    throttles,
    getPerSecond,
    getUnthrottled: (operation, signal) => readNow(pathOf(operation), signal),
    listUnthrottled: (query) => readNow(`${tasksPath}?${query}`),

    delete: (operation) =>
      upstream.call({
        method: 'DELETE',
        path: pathOf(operation),
        headers: authorization(),
        timeoutMs,
      }),

    close: () => upstream.close(),
  };
}

const pathOf = (operation: string) => `${tasksPath}/${encodeURIComponent(operation)}`;
