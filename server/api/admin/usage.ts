/**
 * What an account used in a time of at most 92 days: counts and credits by day, model, resolution,
 * status and key, and how long completed tasks took.
 */
import { UsageQuery, type UsageResponse, type UsageRow } from '@vidgen/contract/usage.ts';
import { getAccount } from '../../accounts/account.ts';
import { type ApiKey, findKeys } from '../../accounts/api-key.ts';
import { ApiError } from '../../api-error.ts';
import { nowMs } from '../../clock.ts';
import type { Queryable } from '../../database/database.ts';
import {
  countUsage,
  listCompletionTimes,
  type ModelTimes,
  type UsageCount,
  type UsageFilter,
} from '../../tasks/usage.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseQuery } from '../http/parse-request.ts';

const dayMs = 86_400_000;
const daysMax = 92;
const daysDefault = 30;

export async function getUsage(
  { lifecycle: { db } }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(db, request.params.id!);
  const filter = usageFilterOf(accountId, parseQuery(UsageQuery, request.query));
  const [{ rows, keys }, times] = await Promise.all([
    usageRows(db, filter),
    listCompletionTimes(db, filter),
  ]);
  const body: UsageResponse = {
    since: Math.floor(filter.since.getTime() / 1000),
    until: Math.ceil(filter.until.getTime() / 1000),
    rows,
    keys: keys.map(({ id, name, lastFour }) => ({ id, name, last_four: lastFour })),
    times: times.flatMap(timesView),
    total: totalOf(rows, times),
  };
  return { body };
}

/** Until now, and from 30 days before that, unless told otherwise. */
export function usageFilterOf(accountId: string, query: UsageQuery): UsageFilter {
  const { mode, model, key_id: keyId, created_after, created_before } = query;
  const until = created_before ?? new Date(nowMs());
  const since = created_after ?? new Date(Math.max(0, until.getTime() - daysDefault * dayMs));
  if (since >= until) {
    throw new ApiError('invalid_request', 'created_after must be before created_before');
  }
  if (until.getTime() - since.getTime() > daysMax * dayMs) {
    throw new ApiError(
      'invalid_request',
      `created_after must be at most ${daysMax} days before created_before`,
    );
  }
  return { accountId, mode, model, keyId, since, until };
}

export async function usageRows(
  db: Queryable,
  filter: UsageFilter,
): Promise<{ rows: UsageRow[]; keys: ApiKey[] }> {
  const counts = await countUsage(db, filter);
  const keys = await findKeys(db, [...new Set(counts.map(({ keyId }) => keyId))]);
  return { rows: counts.map(usageRowView), keys };
}

const usageRowView = ({ keyId, ...count }: UsageCount): UsageRow => ({ ...count, key_id: keyId });

function timesView({ model, resolution, ...times }: ModelTimes): UsageResponse['times'] {
  if (model === null || resolution === null) return [];
  const { tasks, p50Seconds, p95Seconds } = times;
  return [{ model, resolution, tasks, p50_seconds: p50Seconds, p95_seconds: p95Seconds }];
}

function totalOf(rows: readonly UsageRow[], times: readonly ModelTimes[]): UsageResponse['total'] {
  const all = times.find(({ model }) => model === null);
  const sum = (of: (row: UsageRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const countByStatus = (status: UsageRow['status']) =>
    sum((row) => (row.status === status ? row.tasks : 0));
  return {
    tasks: sum(({ tasks }) => tasks),
    completed: countByStatus('completed'),
    failed: countByStatus('failed'),
    credits: sum(({ credits }) => credits),
    p50_seconds: all?.p50Seconds ?? null,
    p95_seconds: all?.p95Seconds ?? null,
  };
}
