/**
 * An API error with a code of the contract's error table. Thrown anywhere, turned into a response
 * in one place.
 */
import type { ErrorCode } from './error-response.ts';

type ApiErrorDetails = {
  readonly required?: number;
  readonly available?: number;
  readonly retryAfter?: number;
};

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ApiErrorDetails;

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
  }
}

/** Of the caller: `message` names the field, the rule, what was received and what to do. */
export const invalidRequest = (message: string) => new ApiError('invalid_request', message);

export const notFound = (message: string) => new ApiError('not_found', message);

/** `problem` begins the message, which ends with when to retry, and what helps as well. */
export const rateLimited = (problem: string, retryAfter: number, alternative = ''): ApiError => {
  const wait = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  const message = `${problem}; retry in ${wait}${alternative}.`;
  return new ApiError('rate_limited', message, { retryAfter });
};
