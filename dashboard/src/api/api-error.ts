/** What the service declined, in its own words, and what one needs to ask about it. */
import type { ErrorAnswer, ErrorCode } from '@vidgen/contract/error-answer.ts';

type Told = ErrorAnswer['error'];

export class ApiError extends Error {
  readonly code: ErrorCode | 'unreachable';
  /** 0 when there was no answer at all. */
  readonly status: number;
  readonly requestId: string | null;
  readonly figures: Pick<Told, 'required' | 'available' | 'retry_after'>;

  constructor(
    told: Omit<Told, 'code'> & { readonly code: ApiError['code'] },
    answer: { readonly status: number; readonly requestId: string | null },
  ) {
    const { code, message, ...figures } = told;
    super(message);
    this.code = code;
    this.status = answer.status;
    this.requestId = answer.requestId;
    this.figures = figures;
  }
}

/**
 * The parts of a message by the field they are about. A refusal of several fields is one sentence,
 * `prompt is required; duration must be at most 15`; what is about none of them stays under ''.
 */
export function fieldHints(error: ApiError, fields: readonly string[]): Record<string, string> {
  const hints: Record<string, string> = {};
  for (const part of error.message.split('; ')) {
    const path = /^[\w.[\]]+/.exec(part)?.[0] ?? '';
    const field = fields.find((one) => path === one || path.endsWith(`.${one}`)) ?? '';
    const words = field === '' ? part : sentenceCase(part.slice(path.length).trim());
    hints[field] = hints[field] === undefined ? words : `${hints[field]}; ${words}`;
  }
  return hints;
}

const sentenceCase = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
