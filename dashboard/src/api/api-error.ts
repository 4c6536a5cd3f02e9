/** An error response of the service, with the request ID that support needs. */
import type { ErrorCode, ErrorResponse } from '@vidgen/contract/error-response.ts';

type ErrorBody = ErrorResponse['error'];

export class ApiError extends Error {
  readonly code: ErrorCode | 'unreachable';
  /** The HTTP status; 0 when no response arrived. */
  readonly status: number;
  readonly requestId: string | null;
  readonly details: Pick<ErrorBody, 'required' | 'available' | 'retry_after'>;

  constructor(
    body: Omit<ErrorBody, 'code'> & { readonly code: ApiError['code'] },
    response: { readonly status: number; readonly requestId: string | null },
  ) {
    const { code, message, ...details } = body;
    super(message);
    this.code = code;
    this.status = response.status;
    this.requestId = response.requestId;
    this.details = details;
  }
}

/**
 * Splits a message by the field that each part is about. Validation errors join their parts with
 * semicolons: `prompt is required; duration must be at most 15`. What is wrong inside a field is
 * told at the field: `resolutions["720p"] must …`. Parts about other fields are under ''.
 */
export function fieldHints(error: ApiError, fields: readonly string[]): Record<string, string> {
  const hints: Record<string, string> = {};
  for (const part of error.message.split('; ')) {
    const path = /^[\w.[\]]+/.exec(part)?.[0] ?? '';
    const outer = fields.find((one) => part.startsWith(`${one}[`) || part.startsWith(`${one}.`));
    const exact = fields.find((one) => path === one || (!outer && path.endsWith(`.${one}`)));
    const field = exact ?? outer ?? '';
    const text = exact
      ? sentenceCase(part.slice(path.length).trim())
      : part
          .slice(field.length)
          .replace(/^\["(.*?)"\]\.? ?/, '$1: ')
          .replace(/^\./, '');
    hints[field] = hints[field] === undefined ? text : `${hints[field]}; ${text}`;
  }
  return hints;
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
