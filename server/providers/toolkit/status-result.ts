/**
 * Turns a read of an operation into a `StatusResult`. A read that fails says nothing about the
 * operation, which stays pending; only the upstream's own 404 makes it `lost`.
 */
import type { StatusResult } from '../provider.ts';
import type { ReadResult } from './client.ts';
import { parseRetryAfter } from './response-values.ts';
import { isSuccess, type UpstreamResponse } from './upstream.ts';

const errorPollSeconds = 15;

/** How an adapter reads the error responses of its upstream. */
export type ErrorReader = {
  /** One line for admins, with the upstream's own message. */
  readonly detail: (response: UpstreamResponse) => string;
  /** True when the upstream itself, and not a proxy, says that the operation does not exist. */
  readonly isNotFound: (response: UpstreamResponse) => boolean;
};

export function toStatusResult<Success extends StatusResult | Promise<StatusResult>>(
  result: ReadResult,
  read: ErrorReader & {
    readonly success: (response: UpstreamResponse) => Success;
    readonly signal: AbortSignal;
    /** After an error; 15 by default. */
    readonly pollSeconds?: number | undefined;
  },
): StatusResult | Success {
  const { pollSeconds = errorPollSeconds } = read;
  if (result.kind === 'throttled') return unreadStatus(result.waitSeconds);
  // The caller stopped waiting, so this is not an error to report.
  if (read.signal.aborted) return pending({ pollAfterSeconds: pollSeconds });
  if (result.kind !== 'response') return pendingWithAlert(result.detail, pollSeconds);
  if (isSuccess(result)) return read.success(result);
  if (read.isNotFound(result)) return { outcome: 'lost', detail: read.detail(result) };
  if (result.status === 429) {
    const retryAfter = parseRetryAfter(result.headers) ?? 0;
    return pending({ pollAfterSeconds: Math.max(pollSeconds, retryAfter) });
  }
  return pendingWithAlert(read.detail(result), pollSeconds);
}

export const unreadStatus = (waitSeconds: number): StatusResult => ({
  outcome: 'pending',
  pollAfterSeconds: waitSeconds,
  isUnread: true,
});

type Pending = Extract<StatusResult, { outcome: 'pending' }>;

export const pending = (
  about: {
    readonly pollAfterSeconds?: number | undefined;
    readonly progress?: number | undefined;
  } = {},
): Pending => ({ outcome: 'pending', ...about });

export const pendingWithAlert = (alert: string, pollSeconds = errorPollSeconds): Pending => ({
  outcome: 'pending',
  pollAfterSeconds: pollSeconds,
  alert,
});

export const unknownStatus = (status: string | undefined, pollSeconds?: number): StatusResult =>
  pendingWithAlert(`unknown status ${JSON.stringify(status?.slice(0, 100) ?? null)}`, pollSeconds);

export const failed = (reason: 'failed' | 'timed_out', detail: string): StatusResult => ({
  outcome: 'failed',
  reason,
  detail,
});
