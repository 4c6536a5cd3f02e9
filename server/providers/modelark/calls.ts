/**
 * The four calls of ModelArk, authorised, timed and paced. LIST is limited to one a second for the
 * whole account and GET to twenty, so both wait for their turn here, or are told it is too far.
 */
import { createPace } from '../pace.ts';
import { createUpstream, type UpstreamOutcome } from '../upstream.ts';

export type ModelArkCallOptions = {
  /** Up to and with `/api/v3`; keys and model ids belong to one region. */
  readonly baseUrl: string;
  /** Asked for at every call, so that a key can be changed while tasks run. */
  readonly apiKey: () => string;
  /** The upstream reads materials before it answers, so a create may take tens of seconds. */
  readonly createTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** Calls a second of the whole account; less when several processes share it. */
  readonly getPerSecond?: number;
  readonly listPerSecond?: number;
};

/** A look at the upstream; `busy` when too many others wait for their turn to look. */
export type Reading = UpstreamOutcome | { readonly kind: 'busy'; readonly waitSeconds: number };

export type ModelArkCalls = {
  readonly createTimeoutMs: number;
  create(body: unknown, reference: string): Promise<UpstreamOutcome>;
  get(operation: string, signal?: AbortSignal): Promise<Reading>;
  list(query: URLSearchParams): Promise<Reading>;
  /** Stops a queued task, but erases a finished one: never to be called blindly. */
  delete(operation: string): Promise<UpstreamOutcome>;
  close(): Promise<void>;
};

const tasksPath = '/contents/generations/tasks';
const getWaitMsMax = 5_000;
const listWaitMsMax = 30_000;

export function createModelArkCalls(options: ModelArkCallOptions): ModelArkCalls {
  const upstream = createUpstream({ baseUrl: options.baseUrl });
  const createTimeoutMs = options.createTimeoutMs ?? 90_000;
  const timeoutMs = options.readTimeoutMs ?? 20_000;
  const gets = createPace({ perSecond: options.getPerSecond ?? 20 });
  // A little slower than the limit, because two calls may travel at different speeds.
  const lists = createPace({ perSecond: options.listPerSecond ?? 0.9 });
  const authorization = () => ({ authorization: `Bearer ${options.apiKey()}` });

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

    async get(operation, signal) {
      const stop = signal ? { signal } : {};
      const turn = await gets.turn({ waitMsMax: getWaitMsMax, ...stop });
      if (!turn.granted) return { kind: 'busy', waitSeconds: turn.waitSeconds };
      const path = pathOf(operation);
      return upstream.call({ method: 'GET', path, headers: authorization(), timeoutMs, ...stop });
    },

    async list(query) {
      const turn = await lists.turn({ waitMsMax: listWaitMsMax });
      if (!turn.granted) return { kind: 'busy', waitSeconds: turn.waitSeconds };
      const path = `${tasksPath}?${query}`;
      return upstream.call({ method: 'GET', path, headers: authorization(), timeoutMs });
    },

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
