/** Errors in ModelArk's shape, with its codes and our messages. */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { ErrorCode } from '@vidgen/contract/error-response.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { FormatError } from '../../http/handler.ts';

/** An error with a more specific code of ModelArk than its `code` implies. */
export class ModelArkError extends ApiError {
  readonly modelArkCode: string;
  /** Of the response, where it differs from that of `code`. */
  readonly status: number | undefined;

  constructor(
    code: ErrorCode,
    options: {
      readonly modelArkCode: string;
      readonly message: string;
      readonly status?: number;
    },
  ) {
    super(code, options.message);
    this.modelArkCode = options.modelArkCode;
    this.status = options.status;
  }
}

/**
 * Too few credits have the status 402, where ModelArk has 403: clients read it as a matter of
 * payment, and none of them retries it.
 */
const codes: Readonly<Record<ErrorCode, readonly [code: string, type: string]>> = {
  invalid_request: ['InvalidParameter', 'BadRequest'],
  invalid_api_key: ['AuthenticationError', 'Unauthorized'],
  insufficient_credits: ['AccountOverdueError', 'Forbidden'],
  forbidden: ['AccessDenied', 'Forbidden'],
  not_found: ['NotFound.id', 'NotFound'],
  rate_limited: ['AccountRateLimitExceeded', 'TooManyRequests'],
  internal_error: ['InternalServiceError', 'InternalServerError'],
};

/** Statuses that the vendor's own clients repeat. */
const isRepeatable = (status: number): boolean => status === 429 || status >= 500;

export const formatModelArkError: FormatError = (error) => {
  const { status: usualStatus, headers } = errorResponse(error);
  const [usualCode, type] = codes[error.code];
  const specific = error instanceof ModelArkError ? error : undefined;
  const status = specific?.status ?? usualStatus;
  const code = specific?.modelArkCode ?? usualCode;
  return {
    status,
    headers: {
      ...headers,
      'x-error-code': code,
      // ModelArk's clients obey it, and would otherwise repeat a 409.
      ...(isRepeatable(status) ? {} : { 'x-should-retry': 'false' }),
    },
    body: { error: { code, message: error.message, type, param: paramOf(error) } },
  };
};

/** Messages of invalid requests begin with the field, or with `the body`. */
function paramOf({ code, message }: ApiError): string {
  if (code !== 'invalid_request') return '';
  return (knownField.exec(message) ?? unknownField.exec(message))?.[1] ?? '';
}

const knownField = /^(?!the )([a-z][\w.[\]]*) /;
const unknownField = /^([\w$-]{1,60}) is not a known field\b/;
