/** Replicate's calls, authorised, timed and paced: reading is limited to 50 a second an account. */
import { createPace } from '../pace.ts';
import { createUpstream, type UpstreamOutcome } from '../upstream.ts';

export type ReplicateCallOptions = {
  /** Up to and with `/v1`. */
  readonly baseUrl?: string;
  /** Asked for at every call, so that a key can be changed while tasks run. */
  readonly apiKey: () => string;
  readonly createTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** Looks at predictions a second; less when several processes share the account. */
  readonly getPerSecond?: number;
};

/** A look at the upstream; `busy` when too many others wait for their turn to look. */
export type Reading = UpstreamOutcome | { readonly kind: 'busy'; readonly waitSeconds: number };

export type ReplicateCalls = {
  readonly createTimeoutMs: number;
  create(path: string, body: unknown, cancelAfter: string): Promise<UpstreamOutcome>;
  get(operation: string, signal?: AbortSignal): Promise<Reading>;
  /** Newest first. */
  list(cursor: string | undefined): Promise<Reading>;
  cancel(operation: string): Promise<UpstreamOutcome>;
  secret(): Promise<UpstreamOutcome>;
  close(): Promise<void>;
};

const getWaitMsMax = 5_000;

export function createReplicateCalls(options: ReplicateCallOptions): ReplicateCalls {
  const upstream = createUpstream({ baseUrl: options.baseUrl ?? 'https://api.replicate.com/v1' });
  const createTimeoutMs = options.createTimeoutMs ?? 60_000;
  const timeoutMs = options.readTimeoutMs ?? 20_000;
  const reads = createPace({ perSecond: options.getPerSecond ?? 25 });
  const authorization = () => ({ authorization: `Bearer ${options.apiKey()}` });

  async function read(path: string, signal?: AbortSignal): Promise<Reading> {
    const stop = signal ? { signal } : {};
    const turn = await reads.turn({ waitMsMax: getWaitMsMax, ...stop });
    if (!turn.granted) return { kind: 'busy', waitSeconds: turn.waitSeconds };
    return upstream.call({ method: 'GET', path, headers: authorization(), timeoutMs, ...stop });
  }

  return {
    createTimeoutMs,
    create: (path, body, cancelAfter) =>
      upstream.call({
        method: 'POST',
        path,
        headers: { ...authorization(), 'cancel-after': cancelAfter },
        body,
        timeoutMs: createTimeoutMs,
      }),
    get: (operation, signal) => read(pathOf(operation), signal),
    list: (cursor) =>
      read(`/predictions${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`),
    cancel: (operation) =>
      upstream.call({
        method: 'POST',
        path: `${pathOf(operation)}/cancel`,
        headers: authorization(),
        timeoutMs,
      }),
    secret: () =>
      upstream.call({
        method: 'GET',
        path: '/webhooks/default/secret',
        headers: authorization(),
        timeoutMs,
      }),
    close: () => upstream.close(),
  };
}

const pathOf = (operation: string) => `/predictions/${encodeURIComponent(operation)}`;
