/**
 * A request we decline, by the code of the contract's error table. Thrown; answered in one place.
 */
import type { ErrorCode } from '@vidgen/contract/error-answer.ts';

export type RefusalFigures = {
  readonly required?: number;
  readonly available?: number;
  readonly retryAfter?: number;
};

export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly figures: RefusalFigures;

  constructor(code: ErrorCode, message: string, figures: RefusalFigures = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.figures = figures;
  }
}
