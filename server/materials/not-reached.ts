/**
 * Why a material could not be judged. Nothing is proven then: who owns it may be asked, never
 * blamed. Travels inside this room only.
 */
import { EgressFailure, type FailureCode } from '../egress/failure.ts';

export type NotReachedReason =
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

export class NotReached extends Error {
  readonly reason: NotReachedReason;

  constructor(reason: NotReachedReason) {
    super(reason);
    this.name = 'NotReached';
    this.reason = reason;
  }
}

/** Our mistakes are bugs and thrown on. */
export function reasonOf(error: unknown, signal: AbortSignal): NotReachedReason {
  if (error instanceof NotReached && error.reason !== 'cancelled') return error.reason;
  if (!(error instanceof NotReached || error instanceof EgressFailure)) throw error;
  // What we cancelled ourselves ended because the time was up, or because the service stops.
  const cause = signal.aborted ? signal.reason : error;
  const code = cause instanceof EgressFailure ? cause.code : 'cancelled';
  return code === 'too_large' ? 'budget' : code;
}
