/** The filters of a task list, as search parameters and as an API query. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import type { BillingStatus, FailedReason, TaskStatus } from '@vidgen/contract/task-status.ts';

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
  readonly status?: TaskStatus;
  readonly billing?: BillingStatus;
  readonly reason?: FailedReason;
  readonly model?: ModelName;
  readonly key?: string;
  /** Days in UTC, such as `2026-01-31`, both inclusive. */
  readonly from?: string;
  readonly until?: string;
};

const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((candidate) => candidate === value);
const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

export const tasksSearch = (search: Partial<TasksSearch> & SearchSchemaInput): TasksSearch =>
  readTasksSearch(search);

/** Drops invalid values, from a URL or from storage. */
export function readTasksSearch(search: Partial<TasksSearch>): TasksSearch {
  return withoutEmpty({
    status: oneOf(statuses, search.status),
    billing: oneOf(billingStatuses, search.billing),
    reason: oneOf(failedReasons, search.reason),
    model: oneOf(modelNames, search.model),
    key: typeof search.key === 'string' && search.key !== '' ? search.key : undefined,
    from: day(search.from),
    until: day(search.until),
  });
}

type LooseSearch = { readonly [Name in keyof TasksSearch]: TasksSearch[Name] | undefined };

export function withoutEmpty(search: LooseSearch): TasksSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  ) as TasksSearch;
}

/** Returns the query of the list and of its exports. */
export function taskQueryOf(search: TasksSearch): Record<string, string> {
  const { billing, reason, key, from, until, ...same } = search;
  return {
    ...same,
    ...(billing ? { billing_status: billing } : {}),
    ...(reason ? { failed_reason: reason } : {}),
    ...(key ? { key_id: key } : {}),
    ...(from ? { created_after: `${from}T00:00:00Z` } : {}),
    ...(until ? { created_before: dayAfter(until) } : {}),
  };
}

const dayAfter = (text: string): string =>
  new Date(Date.parse(text) + 86_400_000).toISOString().replace('.000Z', 'Z');
