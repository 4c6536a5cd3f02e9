/** Translates a failure that a provider reports into the contract's `failed_reason`. */
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import type { ProviderFailure } from '../../providers/provider.ts';

const failedReasons = {
  failed: 'provider_failed',
  rejected: 'provider_rejected',
  material: 'material_unavailable',
  timed_out: 'timed_out',
} as const satisfies Record<ProviderFailure['reason'], FailedReason>;

export const failedReasonOf = ({ reason }: ProviderFailure): FailedReason => failedReasons[reason];
