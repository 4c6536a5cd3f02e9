/** A refusal, or anything else that went wrong, as the contract's error answer (Spec 7). */
import { type ErrorAnswer, errorTable } from '@vidgen/contract/error-answer.ts';
import { Refusal } from '../refusal.ts';

export type ErrorReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorAnswer;
};

export function errorReply({ code, message, figures }: Refusal): ErrorReply {
  const { required, available, retryAfter } = figures;
  return {
    status: errorTable[code].http,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body: {
      error: {
        code,
        message,
        ...(required === undefined ? {} : { required }),
        ...(available === undefined ? {} : { available }),
        ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
      },
    },
  };
}

/** What the HTTP layer itself declines, in our words; null for what is our own fault. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('invalid_request', 'The body must be at most 1 MiB.');
    case 'FST_ERR_BAD_URL':
      return noSuchPath();
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal('invalid_request', 'The body is not as long as Content-Length says.');
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Refusal('invalid_request', 'The request is not valid HTTP.');
  }
  return null;
}

export const noSuchPath = (): Refusal =>
  new Refusal('not_found', 'There is no such path or method here: see /docs for what there is.');

export const internalError = (requestId: string): Refusal =>
  new Refusal(
    'internal_error',
    `Something went wrong on our side; try again later (${requestId}).`,
  );
