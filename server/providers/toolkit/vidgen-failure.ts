/**
 * Failures of an upstream that is another vidgen: it sends its `failed_reason` as the code of an
 * error or, in formats without a code, its message alone.
 */
import { parseFailureMessage } from '@vidgen/contract/failure-messages.ts';
import { type FailedReason, failedReasons } from '@vidgen/contract/task-status.ts';
import type { ProviderFailure } from '../provider.ts';

const reasons: Readonly<Record<FailedReason, ProviderFailure['reason']>> = {
  provider_rejected: 'rejected',
  material_unavailable: 'material',
  timed_out: 'timed_out',
  provider_failed: 'failed',
  internal_error: 'failed',
  // After our own cancel the lifecycle reads it as that; otherwise the customer did not ask for it.
  cancelled: 'failed',
};

/** Returns undefined for an error of any other upstream. */
export function vidgenFailure({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): Pick<ProviderFailure, 'reason' | 'rejectedPart'> | undefined {
  const told = parseFailureMessage(message);
  const reason = failedReasons.find((one) => one === code) ?? told?.reason;
  if (reason === undefined) return undefined;
  return { reason: reasons[reason], ...(told?.part ? { rejectedPart: told.part } : {}) };
}
