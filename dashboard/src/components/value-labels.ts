/** Labels of values of the API that are shown as text. */
import type { Delivery } from '@vidgen/contract/admin-tasks.ts';
import type { GenerationType } from '@vidgen/contract/models.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import type { AccountRole } from '@vidgen/contract/people.ts';
import type { BillingStatus, FailedReason, TaskStatus } from '@vidgen/contract/task-status.ts';

export const taskStatusLabels: Readonly<Record<TaskStatus, string>> = {
  queued: 'Queued',
  generating: 'Generating',
  completed: 'Completed',
  failed: 'Failed',
};
export const billingStatusLabels: Readonly<Record<BillingStatus, string>> = {
  reserved: 'Reserved',
  charged: 'Charged',
  refunded: 'Refunded',
  refund_failed: 'Refund in review',
};
export const deliveryStatusLabels: Readonly<Record<Delivery['status'], string>> = {
  pending: 'Pending',
  delivered: 'Delivered',
  // No retries are left.
  exhausted: 'Failed',
};
export const statusLabels = {
  ...taskStatusLabels,
  ...billingStatusLabels,
  ...deliveryStatusLabels,
};
export type Status = keyof typeof statusLabels;

export const failedReasonLabels: Readonly<Record<FailedReason, string>> = {
  provider_failed: 'Provider error',
  provider_rejected: 'Content rejected',
  material_unavailable: 'File unavailable',
  timed_out: 'Timed out',
  cancelled: 'Canceled',
  internal_error: 'Internal error',
};

export const generationTypeLabels: Readonly<Record<GenerationType, string>> = {
  'text-to-video': 'Text to video',
  'image-to-video': 'Image to video',
  'reference-to-video': 'Reference to video',
};

/** Outcomes of provider attempts, of which the API does not fix the list. */
const attemptOutcomeLabels: Readonly<Record<string, string>> = {
  throttled: 'Throttled',
  refused: 'Rejected',
  completed: 'Completed',
  failed: 'Failed',
  lost: 'Lost',
  cancelled: 'Canceled',
  timed_out: 'Timed out',
  abandoned: 'Abandoned',
};

export const attemptOutcomeLabel = (outcome: string): string =>
  attemptOutcomeLabels[outcome] ?? outcome;

type RoleText = { readonly name: string; readonly article: string; readonly description: string };

export const roles: Readonly<Record<AccountRole, RoleText>> = {
  owner: {
    name: 'Owner',
    article: 'an',
    description: 'Full access, including members and credits.',
  },
  developer: {
    name: 'Developer',
    article: 'a',
    description: 'Create videos, manage keys, cancel tasks, replay webhooks.',
  },
  viewer: {
    name: 'Viewer',
    article: 'a',
    description: 'Read-only access.',
  },
};

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Of a field, such as an option of a model: `negative_prompt` is "Negative prompt". */
export const fieldLabel = (name: string): string => capitalize(name.replaceAll('_', ' '));

/** `4 to 15`, or the lengths between which some cannot be made: `5, 10`. */
export function lengthsText({ min, max, values }: Model['duration']): string {
  const hasGaps = values?.some((value, at) => value !== min + at) ?? false;
  return hasGaps ? values!.join(', ') : `${min} to ${max}`;
}
