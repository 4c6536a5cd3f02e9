/**
 * Why a material could not be judged. Nothing is proven about the file. Used inside this folder
 * only.
 */
import { EgressFailure, type FailureCode } from '../egress/failure.ts';

export type UnreachableReason =
  | Exclude<FailureCode, 'too_large'>
  /** Any status but 2xx. */
  | `status ${number}`
  /** Compressed although the request did not allow it; decompressing would allow zip bombs. */
  | 'encoded'
  /** The parts do not belong to one file, or are not the requested ones. */
  | 'inconsistent'
  /** More bytes than may be read. */
  | 'budget'
  | 'not_measured'
  /** Our own load or limits left no time: on creates of an account, measurements or bytes. */
  | 'no_turn'
  | 'silent_host';

/** Reasons that say something about our load, and nothing about the file or its host. */
const ownReasons: readonly UnreachableReason[] = ['no_turn', 'no_slot', 'cancelled'];

export const isOwnReason = (reason: UnreachableReason): boolean => ownReasons.includes(reason);

export class UnreachableError extends Error {
  readonly reason: UnreachableReason;

  constructor(reason: UnreachableReason) {
    super(reason);
    this.name = 'UnreachableError';
    this.reason = reason;
  }
}

/** Rethrows programming errors. */
export function reasonOf(error: unknown, signal: AbortSignal): UnreachableReason {
  if (error instanceof UnreachableError && error.reason !== 'cancelled') return error.reason;
  if (!(error instanceof UnreachableError || error instanceof EgressFailure)) throw error;
  // After an abort the signal's reason tells a timeout from a shutdown.
  const cause = signal.aborted ? signal.reason : error;
  const code = cause instanceof EgressFailure ? cause.code : 'cancelled';
  return code === 'too_large' ? 'budget' : code;
}
