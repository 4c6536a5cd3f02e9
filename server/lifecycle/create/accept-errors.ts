/** The API errors of creates that were not accepted. */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { AcceptedTask, AcceptOutcome } from './accept-decision.ts';
import { limitError } from './create-limits.ts';

/** Returns the accepted task, or throws the API error that says why it was not accepted. */
export function acceptedOrThrow(outcome: AcceptOutcome, credits: number): AcceptedTask {
  switch (outcome.outcome) {
    case 'accepted':
    case 'repeated':
    case 'adopted':
      return outcome;
    case 'key_reused':
      throw idempotencyKeyReused();
    case 'erased':
      throw repeatedTaskErased();
    case 'disconnected':
      throw new ApiError('invalid_request', 'The client closed the connection.');
    case 'insufficient':
      throw insufficientCredits({ required: credits, available: outcome.available });
    case 'capped':
    case 'too_many_running':
      throw limitError(outcome, credits);
    case 'unauthorized':
      throw outcome.error;
    case 'closed':
      throw new ApiError('invalid_api_key', 'The account for this API key is closed.');
  }
}

export const idempotencyKeyReused = (): ApiError =>
  new ApiError(
    'invalid_request',
    'This Idempotency-Key was already used with a different request in the last 24 hours; use a ' +
      'new key or repeat the original request.',
  );

export const repeatedTaskErased = (): ApiError =>
  new ApiError(
    'invalid_request',
    'This request repeats a create whose task was deleted; to create another task, send it with ' +
      'a new Idempotency-Key.',
  );

export const insufficientCredits = (figures: { required: number; available: number }): ApiError =>
  new ApiError(
    'insufficient_credits',
    `This task costs ${figures.required} credits but only ${figures.available} are available; ` +
      'top up, or choose a shorter video or a lower resolution.',
    figures,
  );
