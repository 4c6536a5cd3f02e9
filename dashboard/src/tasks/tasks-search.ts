/** The filters of a list of tasks: in the address, and as the query that they make. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import type { BillingStatus, FailedReason, TaskStatus } from '@vidgen/contract/task-status.ts';

export const statuses: readonly TaskStatus[] = ['queued', 'generating', 'completed', 'failed'];
export const billings: readonly BillingStatus[] = [
  'reserved',
  'charged',
  'refunded',
  'refund_failed',
];
export const reasons: readonly FailedReason[] = [
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
  /** Days in UTC, `2026-01-31`: both included. */
  readonly from?: string;
  readonly until?: string;
};

const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value);
const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

export const tasksSearch = (given: Partial<TasksSearch> & SearchSchemaInput): TasksSearch =>
  readTasksSearch(given);

/** Whatever it is, from an address or a memory: what fits is kept. */
export function readTasksSearch(given: Partial<TasksSearch>): TasksSearch {
  return withoutAbsent({
    status: oneOf(statuses, given.status),
    billing: oneOf(billings, given.billing),
    reason: oneOf(reasons, given.reason),
    model: oneOf(modelNames, given.model),
    key: typeof given.key === 'string' && given.key !== '' ? given.key : undefined,
    from: day(given.from),
    until: day(given.until),
  });
}

type Loose = { readonly [Name in keyof TasksSearch]: TasksSearch[Name] | undefined };

export function withoutAbsent(search: Loose): TasksSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  ) as TasksSearch;
}

/** As the list and its exports take them. */
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
