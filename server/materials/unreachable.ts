/**
 * Why a material could not be judged. Nothing is proven then: who owns it may be asked, never
 * blamed. Travels inside this room only.
 */
import { EgressFailure, type FailureCode } from '../egress/failure.ts';

export type UnreachableReason =
  | Exclude<FailureCode, 'too_large'>
  /** Any status but 2xx. */
  | `status ${number}`
  /** Compressed although we asked for it as it is: unpacking is how bombs go off. */
  | 'encoded'
  /** The parts do not belong to one file, or are not the ones asked for. */
  | 'inconsistent'
  /** More bytes than may be read. */
  | 'budget'
  | 'not_measured'
  /** Two other creates of the account took all the time. */
  | 'no_turn'
  | 'silent_host';

export class UnreachableError extends Error {
  readonly reason: UnreachableReason;

  constructor(reason: UnreachableReason) {
    super(reason);
    this.name = 'UnreachableError';
    this.reason = reason;
  }
}

/** Our mistakes are bugs and thrown on. */
export function reasonOf(error: unknown, signal: AbortSignal): UnreachableReason {
  if (error instanceof UnreachableError && error.reason !== 'cancelled') return error.reason;
  if (!(error instanceof UnreachableError || error instanceof EgressFailure)) throw error;
  // What we cancelled ourselves ended because the time was up, or because the service stops.
  const cause = signal.aborted ? signal.reason : error;
  const code = cause instanceof EgressFailure ? cause.code : 'cancelled';
  return code === 'too_large' ? 'budget' : code;
}
