/** The filters of a task list, as search parameters and as an API query. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import { type KeyMode, keyModes, type ModelName, modelNames } from '@vidgen/contract/models.ts';
import type { BillingStatus, FailedReason, TaskStatus } from '@vidgen/contract/task-status.ts';
import {
  createdQueryOf,
  dayParam,
  oneOf,
  textParam,
  withoutEmpty,
} from '../components/search-params.ts';

export const statuses: readonly TaskStatus[] = ['queued', 'generating', 'completed', 'failed'];
export const billingStatuses: readonly BillingStatus[] = [
  'reserved',
  'charged',
  'refunded',
  'refund_failed',
];
export const failedReasons: readonly FailedReason[] = [
  'provider_failed',
  'provider_rejected',
  'material_unavailable',
  'timed_out',
  'cancelled',
  'internal_error',
];

export type TasksSearch = {
  /** Words of the prompt, a task ID or a request ID. */
  readonly q?: string;
  readonly status?: TaskStatus;
  readonly billing?: BillingStatus;
  readonly reason?: FailedReason;
  readonly model?: ModelName;
  readonly key?: string;
  /** Only in the list of all accounts, also the next two. */
  readonly account?: string;
  readonly provider?: string;
  readonly kind?: KeyMode;
  /** Days in UTC, such as `2026-01-31`, both inclusive. */
  readonly from?: string;
  readonly until?: string;
};

export type SetTasksSearch = (
  part: {
    [Name in keyof TasksSearch]?: TasksSearch[Name] | undefined;
  },
) => void;

export const tasksSearch = (search: Partial<TasksSearch> & SearchSchemaInput): TasksSearch =>
  readTasksSearch(search);

/** Drops invalid values, from a URL or from storage. */
export function readTasksSearch(search: Partial<TasksSearch>): TasksSearch {
  return withoutEmpty<TasksSearch>({
    q: textParam(search.q),
    status: oneOf(statuses, search.status),
    billing: oneOf(billingStatuses, search.billing),
    reason: oneOf(failedReasons, search.reason),
    model: oneOf(modelNames, search.model),
    key: textParam(search.key),
    account: textParam(search.account),
    provider: textParam(search.provider),
    kind: oneOf(keyModes, search.kind),
    from: dayParam(search.from),
    until: dayParam(search.until),
  });
}

/** Returns the query of the list and of its exports. */
export function taskQueryOf(search: TasksSearch): Record<string, string> {
  const { billing, reason, key, account, kind, from, until, ...same } = search;
  return {
    ...same,
    ...(billing ? { billing_status: billing } : {}),
    ...(reason ? { failed_reason: reason } : {}),
    ...(key ? { key_id: key } : {}),
    ...(account ? { account_id: account } : {}),
    ...(kind ? { mode: kind } : {}),
    ...createdQueryOf({ from, until }),
  };
}
