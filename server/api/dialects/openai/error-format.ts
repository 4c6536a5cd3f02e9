/** Errors in OpenAI's shape. Its clients repeat 409, 429 and 5xx unless told not to. */
import type { ErrorCode } from '@vidgen/contract/error-response.ts';
import type { OpenAiErrorResponse } from '@vidgen/contract/openai-videos.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { FormatError } from '../../http/handler.ts';

const types: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'invalid_request_error',
  invalid_api_key: 'authentication_error',
  insufficient_credits: 'insufficient_quota',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  rate_limited: 'rate_limit_error',
  internal_error: 'server_error',
};

const retried: readonly ErrorCode[] = ['rate_limited', 'internal_error'];

export const openAiError: FormatError = (error) => {
  const { code, message } = error;
  const { status, headers } = errorResponse(error);
  const body: OpenAiErrorResponse = {
    error: { message, type: types[code], param: paramOf(message), code },
  };
  const isRetried = retried.includes(code);
  return { status, headers: { ...headers, ...(isRetried ? {} : noRetry) }, body };
};

const noRetry = { 'x-should-retry': 'false' };

/** Messages of problems begin with the field; sentences begin with a capital letter. */
const paramOf = (message: string): string | null =>
  (knownField.exec(message) ?? unknownField.exec(message))?.[1] ?? null;

const knownField = /^([a-z][\w.]*)(\[[^\]]{0,60}\])? (must|is|needs|cannot)\b/;
const unknownField = /^([\w$-]{1,60}) is not a known field\b/;
