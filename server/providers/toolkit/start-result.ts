/**
 * Turns the outcome of a start call into a `StartResult`. The question that costs money is whether
 * nothing was created: never sent, a redirect or a 4xx proves it; anything else is `unknown`.
 */
import type { ProviderFailure, StartResult } from '../provider.ts';
import { parseRetryAfter } from './response-values.ts';
import { isSuccess, type UpstreamOutcome, type UpstreamResponse } from './upstream.ts';

type Rejected = Extract<StartResult, { outcome: 'rejected' }>;
type Throttled = Extract<StartResult, { outcome: 'throttled' }>;

const retrySeconds = 5;

export function toStartResult(
  outcome: UpstreamOutcome,
  read: {
    /** The id in a 2xx response. Without one, something unidentified may have been created. */
    readonly operation: (json: unknown) => string | undefined;
    readonly error: (response: UpstreamResponse) => StartResult;
  },
): StartResult {
  switch (outcome.kind) {
    case 'unsent':
      return { ...retryStart(`not connected: ${outcome.detail}`), unreachable: true };
    case 'lost':
      return { outcome: 'unknown', detail: outcome.detail };
    case 'response': {
      if (!isSuccess(outcome)) return read.error(outcome);
      const operation = read.operation(outcome.json);
      return operation
        ? { outcome: 'accepted', operation }
        : { outcome: 'unknown', detail: `HTTP ${outcome.status} without an id` };
    }
  }
}

/**
 * A redirect or a 4xx was decided before anything was created. A 5xx, or a proxy that stopped
 * waiting (408, 499), says nothing about what happens behind it. 409 is documented by no upstream.
 */
export const provesNothingCreated = (status: number): boolean =>
  status >= 300 && status < 500 && ![408, 409, 499].includes(status);

/** Nothing was sent; the same provider may succeed in a few seconds. */
export const retryStart = (detail: string): Throttled => ({
  outcome: 'throttled',
  retryAfterSeconds: retrySeconds,
  detail,
});

/** The upstream is busy for as long as `Retry-After` says, `fallbackSeconds` without one. */
export const throttledStart = (
  { headers }: UpstreamResponse,
  detail: string,
  fallbackSeconds: number,
): Throttled => ({
  outcome: 'throttled',
  retryAfterSeconds: parseRetryAfter(headers) ?? fallbackSeconds,
  detail,
  busy: true,
});

/**
 * Rejected content and unusable files would be refused elsewhere too. Everything else is between
 * the upstream and this installation (key, account, model, a parameter), so another provider is
 * tried.
 */
export const rejectedStart = (failure: ProviderFailure): Rejected => ({
  outcome: 'rejected',
  canFailOver: failure.reason !== 'rejected' && failure.reason !== 'material',
  ...failure,
});

/** Nothing was sent, because the configuration has nothing to make the task with. */
export const notConfigured = (detail: string): Rejected =>
  rejectedStart({ reason: 'failed', detail });
