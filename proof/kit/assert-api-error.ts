/**
 * Asserts what every API error guarantees, so that a test states only what is special about its
 * own.
 */
import assert from 'node:assert/strict';
import { type ErrorCode, ErrorResponse, errorTable } from '@vidgen/contract/error-response.ts';

export type CapturedResponse = {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
};

const extraFields: Partial<Record<ErrorCode, readonly string[]>> = {
  insufficient_credits: ['available', 'required'],
  rate_limited: ['retry_after'],
};

/** Returns the error of the response, which must have this code and message. */
export function assertApiError(
  response: CapturedResponse,
  code: ErrorCode,
  message: string | RegExp = /./,
): ErrorResponse['error'] {
  const shown = JSON.stringify(response.body);
  const { error } = ErrorResponse.parse(response.body);
  assert.equal(error.code, code, shown);
  assert.equal(response.status, errorTable[code].http, shown);
  assert.deepEqual(Object.keys(response.body as object), ['error']);
  const requestId = response.headers.get('x-request-id') ?? '';
  assert.match(requestId, /^req_[\w-]{16}$/);
  const { request_id: named = requestId, ...fields } = error;
  assert.equal(named, requestId);
  const keys = ['code', 'message', ...(extraFields[code] ?? [])].sort();
  assert.deepEqual(Object.keys(fields).sort(), keys, shown);
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(
    response.headers.get('www-authenticate'),
    code === 'invalid_api_key' ? 'Bearer' : null,
  );
  assertMessageStyle(error.message);
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  return fields;
}

/**
 * Asserts that a message is a sentence or a list of `field rule` problems (Decisions, "Error
 * message").
 */
export function assertMessageStyle(message: string): void {
  const isSentence = /^[A-Z].+[^ .]\.$/.test(message);
  const isProblems =
    / (must|is not|is required|needs|cannot)\b/.test(message) && /[^ .;:]$/.test(message);
  assert(isSentence || isProblems, `neither a sentence nor problems: ${message}`);
  assert(message.length <= 4000, `${message.length} characters`);
}
