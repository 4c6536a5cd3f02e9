/**
 * What a start means before anyone has read the answer, the same for every upstream: never sent is
 * proof that nothing was created, and lost on the way is proof of nothing.
 */
import type { StartAnswer } from '../provider.ts';
import type { UpstreamAnswer, UpstreamOutcome } from './upstream.ts';

/** When to try again where there was no connection, or nothing could be sent yet. */
export const unsentRetrySeconds = 5;

export function startAnswerOf(
  outcome: UpstreamOutcome,
  read: (answer: UpstreamAnswer) => StartAnswer,
): StartAnswer {
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

export const isAccepting = ({ status }: UpstreamAnswer): boolean => status >= 200 && status < 300;

/** Accepted under this name; without one, something was created and nobody can tell what. */
export function acceptedAs(operation: string | undefined, answer: UpstreamAnswer): StartAnswer {
  return operation
    ? { outcome: 'accepted', operation }
    : { outcome: 'unknown', detail: `HTTP ${answer.status} without an id` };
}
