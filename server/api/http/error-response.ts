/** Errors as the contract's error responses (docs/spec.md 7). */
import { randomBytes } from 'node:crypto';
import { type ErrorResponse, errorTable } from '@vidgen/contract/error-response.ts';
import { ApiError } from '../../api-error.ts';

/** Sent with every response as `x-request-id`, and logged. */
export const newRequestId = (): string => `req_${randomBytes(12).toString('base64url')}`;

export function errorResponse({ code, message, details }: ApiError) {
  const { required, available, retryAfter } = details;
  const body: ErrorResponse = {
    error: {
      code,
      message,
      ...(required === undefined ? {} : { required }),
      ...(available === undefined ? {} : { available }),
      ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    },
  };
  return {
    status: errorTable[code].http,
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      // RFC 9110, 11.6.1: a 401 names the authentication scheme.
      ...(code === 'invalid_api_key' ? { 'www-authenticate': 'Bearer' } : {}),
    },
    body,
  };
}

const bodyTooLarge = 'FST_ERR_CTP_BODY_TOO_LARGE';

export const isBodyTooLarge = (error: unknown): boolean =>
  (error as { code?: string }).code === bodyTooLarge;

/** Translates errors of Fastify. Null for errors of the service itself. */
export function toApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_BAD_URL':
      return routeNotFound();
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return wrongContentType();
    case bodyTooLarge:
      return new ApiError('invalid_request', 'The body must be at most 1 MiB.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('invalid_request', 'The body length must match Content-Length.');
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ApiError('invalid_request', 'The request was incomplete; send it again.');
  }
  return null;
}

export const routeNotFound = (): ApiError =>
  new ApiError('not_found', 'There is no such path or method; see /docs.');

export const wrongContentType = (): ApiError =>
  new ApiError('invalid_request', 'The Content-Type header must be application/json.');

export const internalError = (requestId: string): ApiError =>
  new ApiError(
    'internal_error',
    `Internal error; retry later, or report the request ${requestId}.`,
  );
