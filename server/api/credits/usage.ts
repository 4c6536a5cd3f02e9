/**
 * Usage of an account in a period of at most 92 days: counts and credits by day, model, resolution,
 * status and key, and how long completed tasks took.
 */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { UsageQuery, UsageResponse, UsageRow } from '@vidgen/contract/usage.ts';
import { z } from 'zod';
import { getAccount } from '../../accounts/account.ts';
import { findKeys } from '../../accounts/keys/api-key.ts';
import { dayMs, nowMs } from '../../process/clock.ts';
import { type ModelTimes, readFailures, readUsage, type UsageFilter } from '../../tasks/usage.ts';
import { fieldColumns } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { fileResponse } from '../http/list-response.ts';
import { createdAt, keyId } from '../http/samples.ts';

/** Each request aggregates up to 92 days. */
export const usageLimit = { purpose: 'usage', perMinute: 120 } as const;

const daysMax = 92;
const daysDefault = 30;

const usage = {
  since: createdAt - (daysDefault * dayMs) / 1000,
  until: createdAt,
  rows: [
    {
      day: '2025-12-31',
      model: 'vidgen-2-5',
      resolution: '720p',
      status: 'completed',
      key_id: keyId,
      tasks: 12,
      credits: 480,
    },
    {
      day: '2025-12-31',
      model: 'vidgen-2-5',
      resolution: '720p',
      status: 'failed',
      key_id: keyId,
      tasks: 1,
      credits: 0,
    },
  ],
  keys: [{ id: keyId, name: 'Production', last_four: '9xTa' }],
  times: [
    { model: 'vidgen-2-5', resolution: '720p', tasks: 12, p50_seconds: 92.4, p95_seconds: 171 },
  ],
  failures: [{ failed_reason: 'provider_rejected', tasks: 1 }],
  total: {
    tasks: 13,
    completed: 12,
    failed: 1,
    credits: 480,
    p50_seconds: 92.4,
    p95_seconds: 171,
  },
};

const getUsage = endpoint({
  operationId: 'getUsage',
  method: 'GET',
  path: '/admin/accounts/:id/usage',
  summary: 'Get usage',
  description: 'The last 30 days by default, and at most 92.',
  auth: 'member',
  role: 'viewer',
  sessionLimit: usageLimit,
  query: UsageQuery,
  responses: {
    200: {
      description: 'Counts, credits and times; with `format` the rows.',
      schema: z.union([UsageResponse, z.array(UsageRow)]),
      alsoCsv: true,
      examples: { month: ['Thirty days', usage] },
    },
  },
  errors: { invalid_request: 'created_after must be at most 92 days before created_before' },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { format, ...query } = request.query;
    const { id: accountId, name: accountName } = await getAccount(db, request.params.id!);
    const filter = usageFilter(accountId, query);
    const { counts, times } = await readUsage(db, filter);
    const rows = counts.map(({ keyId, ...count }) => ({ ...count, key_id: keyId }));
    const keys = await findKeys(db, [...new Set(rows.map(({ key_id }) => key_id))]);
    if (format !== undefined) {
      const names = new Map(keys.map(({ id, name }) => [id, name]));
      return fileResponse<UsageRow>(services, request, {
        format,
        columns: [...columns, ['key_name', ({ key_id }) => names.get(key_id) ?? null]],
        contentName: 'usage',
        accountName,
        read: async () => ({ items: rows, nextCursor: null }),
      });
    }
    const body: UsageResponse = {
      since: Math.floor(filter.since.getTime() / 1000),
      until: Math.ceil(filter.until.getTime() / 1000),
      rows,
      keys: keys.map(({ id, name, lastFour }) => ({ id, name, last_four: lastFour })),
      times: times.flatMap(timesView),
      failures: (await readFailures(db, filter)).map(({ reason, tasks }) => ({
        failed_reason: reason,
        tasks,
      })),
      total: totalOf(rows, times),
    };
    return { body };
  },
});

const columns = fieldColumns('day', 'model', 'resolution', 'status', 'tasks', 'credits', 'key_id');

/** The last 30 days are the default. */
function usageFilter(accountId: string, query: Omit<UsageQuery, 'format'>): UsageFilter {
  const { mode, model, key_id: keyId, created_after, created_before } = query;
  const until = created_before ?? new Date(nowMs());
  const since = created_after ?? new Date(Math.max(0, until.getTime() - daysDefault * dayMs));
  if (since >= until) throw invalidRequest('created_after must be before created_before');
  if (until.getTime() - since.getTime() > daysMax * dayMs) {
    throw invalidRequest(`created_after must be at most ${daysMax} days before created_before`);
  }
  return { accountId, mode, model, keyId, since, until };
}

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

export const usageEndpoints = [getUsage];
