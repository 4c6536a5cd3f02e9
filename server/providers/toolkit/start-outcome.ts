/**
 * What a start means before anyone has read the answer, the same for every upstream: never sent is
 * proof that nothing was created, and lost on the way is proof of nothing.
 */
import type { StartResult } from '../provider.ts';
import type { UpstreamOutcome, UpstreamResponse } from './upstream.ts';

/** When to try again where there was no connection, or nothing could be sent yet. */
export const unsentRetrySeconds = 5;

export function startResultOf(
  outcome: UpstreamOutcome,
  read: (response: UpstreamResponse) => StartResult,
): StartResult {
  switch (outcome.kind) {
    case 'unsent':
      return {
        outcome: 'throttled',
        retryAfterSeconds: unsentRetrySeconds,
        detail: `not connected: ${outcome.detail}`,
        unreachable: true,
      };
    case 'lost':
      return { outcome: 'unknown', detail: outcome.detail };
    case 'answered':
      return read(outcome);
  }
}

export const isSuccessStatus = ({ status }: UpstreamResponse): boolean =>
  status >= 200 && status < 300;

/** Accepted under this name; without one, something was created and nobody can tell what. */
export function acceptedResult(
  operation: string | undefined,
  response: UpstreamResponse,
): StartResult {
  return operation
    ? { outcome: 'accepted', operation }
    : { outcome: 'unknown', detail: `HTTP ${response.status} without an id` };
}
