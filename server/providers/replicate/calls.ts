/** Replicate's calls, authorised, timed and paced: reading is limited to 50 a second an account. */
import {
  bearer,
  type CallOptions,
  createThrottledGet,
  type ReadResult,
  readMsMax,
} from '../toolkit/throttled-get.ts';
import { createUpstream, type UpstreamOutcome } from '../toolkit/upstream.ts';

export type ReplicateCallOptions = CallOptions & {
  /** Up to and with `/v1`. */
  readonly baseUrl?: string;
};

export type ReplicateCalls = {
  readonly createTimeoutMs: number;
  create(path: string, body: unknown, cancelAfter: string): Promise<UpstreamOutcome>;
  get(operation: string, signal?: AbortSignal): Promise<ReadResult>;
  /** Newest first. */
  list(cursor: string | undefined): Promise<ReadResult>;
  cancel(operation: string): Promise<UpstreamOutcome>;
  secret(): Promise<UpstreamOutcome>;
  close(): Promise<void>;
};

export function createReplicateCalls(options: ReplicateCallOptions): ReplicateCalls {
  const upstream = createUpstream({ baseUrl: options.baseUrl ?? 'https://api.replicate.com/v1' });
  const createTimeoutMs = options.createTimeoutMs ?? 60_000;
  const timeoutMs = options.readTimeoutMs ?? readMsMax;
  const authorization = bearer(options.apiKey);
  const perSecond = options.getPerSecond ?? 25;
  const read = createThrottledGet(upstream, { perSecond, headers: authorization, timeoutMs });

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
    get: (operation, signal) => read(pathOf(operation), { signal }),
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
