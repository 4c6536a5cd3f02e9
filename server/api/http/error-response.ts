/** Errors as responses. */
import { randomFillSync } from 'node:crypto';
import { ApiError, invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import { type ErrorResponse, errorTable } from '@vidgen/contract/error-response.ts';
import { DatabaseUnavailableError } from '../../database/database.ts';
import { type Deadline, sleep } from '../../process/clock.ts';
import type { ApiResponse } from './handler.ts';

/** Sent with every response as `x-request-id`, and logged. */
export function newRequestId(): string {
  if (randomAt === random.length) {
    randomFillSync(random);
    randomAt = 0;
  }
  randomAt += requestIdBytes;
  return `req_${random.toString('base64url', randomAt - requestIdBytes, randomAt)}`;
}

const requestIdBytes = 12;
/** Random bytes for many IDs: one call of the system for each would cost more than the ID. */
const random = Buffer.alloc(requestIdBytes * 256);
let randomAt = random.length;

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

/** Names the request in a body that the contract does not fix: people copy the body alone. */
export function withRequestId(response: ApiResponse, requestId: string): ApiResponse {
  const body = response.body as { readonly jsonrpc?: unknown; readonly error?: object };
  const { error } = body;
  const named = { request_id: requestId };
  if (error === undefined) return { ...response, body: { ...body, ...named } };
  // JSON-RPC 2.0, 5.1: further values of an error are in `data`.
  const data = { ...(error as { readonly data?: object }).data, ...named };
  const added = body.jsonrpc === undefined ? named : { data };
  return { ...response, body: { ...body, error: { ...error, ...added } } };
}

const outageSeconds = 5;

/** The database had no connection in time, or the store failed: nothing was done. */
export const outageError = (): ApiError =>
  new ApiError(
    'internal_error',
    `The service is temporarily unavailable; retry in ${outageSeconds} seconds.`,
  );

/** The error response in any format, with the status that tells clients and proxies to retry. */
export const outageResponse = (formatted: ApiResponse): ApiResponse => ({
  ...formatted,
  status: 503,
  headers: { ...formatted.headers, 'retry-after': String(outageSeconds) },
});

export const routeNotFound = (): ApiError =>
  notFound('Unknown path or method; see /docs for the API reference.');

export const wrongContentType = (): ApiError =>
  invalidRequest('The Content-Type header must be application/json.');

export const internalError = (requestId: string): ApiError =>
  new ApiError(
    'internal_error',
    'Something went wrong on our side; try again later or contact support with request ID ' +
      `${requestId}.`,
  );

/** Less than the timeouts of clients and proxies, which begin at 30 s. */
export const outageMsMax = 25_000;
const retryMs = 250;

/**
 * Returns the result of `work`, repeated until it succeeds, throws an `ApiError`, or the deadline
 * passes; then throws its last error, even if it has not ended.
 */
export async function retryInOutage<T>(
  work: () => Promise<T>,
  { signal }: Pick<Deadline, 'signal'>,
): Promise<T> {
  const passed = new Promise<never>((_, reject) => {
    const fail = () =>
      reject(new DatabaseUnavailableError(new Error('it did not respond in time')));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
  for (;;) {
    try {
      return await Promise.race([work(), passed]);
    } catch (error) {
      if (error instanceof ApiError || signal.aborted) throw error;
      await sleep(retryMs, signal);
    }
  }
}
