/**
 * Looks at an upstream, each at its turn, so that its limit of calls a second is kept. Whoever
 * would have to wait too long is told when to come back: `busy` says nothing about the operation.
 */

import type { StatusResult } from '../provider.ts';
import { type CallThrottle, createThrottle } from './call-throttle.ts';
import type { Upstream, UpstreamCall, UpstreamOutcome } from './upstream.ts';

/** What every adapter that speaks HTTP can be told about its calls. */
export type CallOptions = {
  /** Asked for at every call, so that a key can be changed while tasks run; empty for none. */
  readonly apiKey: () => string;
  readonly createTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** Looks a second, by each process: less when several share the account. */
  readonly getPerSecond?: number;
};

type Busy = { readonly kind: 'busy'; readonly waitSeconds: number };

/** A look at the upstream; `busy` when too many others wait for their turn to look. */
export type ReadResult = UpstreamOutcome | Busy;

export type ThrottledGet = (
  path: string,
  options?: {
    readonly signal?: AbortSignal | undefined;
    /** Where an upstream wants another than GET for a look. */
    readonly method?: UpstreamCall['method'];
  },
) => Promise<ReadResult>;

export const readMsMax = 20_000;
const throttleWaitMsMax = 5_000;

export function createThrottledGet(
  upstream: Upstream,
  options: {
    /** So many by itself, or at the pace of others that it shares a limit with. */
    readonly perSecond: number | CallThrottle;
    readonly headers: () => Readonly<Record<string, string>>;
    readonly timeoutMs?: number | undefined;
    /** How long a look may wait for its turn. */
    readonly waitMsMax?: number;
  },
): ThrottledGet {
  const { headers, timeoutMs = readMsMax, waitMsMax = throttleWaitMsMax, perSecond } = options;
  const throttle = typeof perSecond === 'number' ? createThrottle({ perSecond }) : perSecond;
  return async (path, { signal, method = 'GET' } = {}) => {
    const stop = signal ? { signal } : {};
    const grant = await throttle.acquire({ waitMsMax, ...stop });
    if (!grant.granted) return { kind: 'busy', waitSeconds: grant.waitSeconds };
    return await upstream.call({ method, path, headers: headers(), timeoutMs, ...stop });
  };
}

/** The turns are spread over time already: nothing is to be added to the wait. */
export const throttledStatus = ({ waitSeconds }: Pick<Busy, 'waitSeconds'>): StatusResult => ({
  outcome: 'pending',
  pollAfterSeconds: waitSeconds,
  isJittered: true,
});

export const bearer = (apiKey: () => string) => (): Record<string, string> => {
  const key = apiKey();
  return key === '' ? {} : { authorization: `Bearer ${key}` };
};
