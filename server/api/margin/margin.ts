/** What live tasks earned and cost: for administrators alone. */

import { invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  MarginQuery,
  MarginResponse,
  type MarginRow as MarginRowView,
} from '@vidgen/contract/margin.ts';
import { microsPerUnit } from '@vidgen/contract/price.ts';
import { findAccountNames } from '../../accounts/people/membership.ts';
import { invalidCursor } from '../../database/page.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { nowMs } from '../../process/clock.ts';
import { type Figures, type MarginCursor, noFigures, readMargin } from '../../tasks/margin.ts';
import { usageLimit } from '../credits/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { fileListDescription, listResponse } from '../http/list-response.ts';

const rowSample = {
  key: '2026-01-31',
  name: '2026-01-31',
  tasks: 12,
  credits: 480,
  revenue: 4.8,
  attempts: 13,
  cost: 3.36,
  margin: 1.44,
  cost_unknown: 1,
};

const dayMs = 86_400_000;
const daysDefault = 30;

const getMargin = endpoint({
  operationId: 'getMargin',
  method: 'GET',
  path: '/admin/margin',
  summary: 'Get revenue, cost and margin',
  description:
    'Of live tasks, by the day of their creation in UTC. Revenue is charged credits × the ' +
    '`creditValue` of the time when they were charged; test tasks earn nothing. A cost is what ' +
    'the provider reports, what its `costs` say, or what its bill says. Unknown costs are ' +
    'counted apart, never as 0. Accounts, models and providers with the largest revenue or cost ' +
    'come first; in a file, all rows are in the order of their keys.',
  auth: 'admin',
  sessionLimit: usageLimit,
  query: MarginQuery,
  responses: {
    200: {
      ...fileListDescription(MarginResponse, rowSample),
      description: 'By day, account, model or provider; with `format` all of it as a file.',
      examples: {
        days: [
          'By day',
          {
            currency: 'USD',
            credit_value: 0.01,
            total: { ...rowSample, key: 'total', name: 'total' },
            items: [rowSample],
            next_cursor: null,
          },
        ],
      },
    },
  },
  errors: { invalid_request: 'since must not be after until', rate_limited: true },
  async handler(services, request) {
    const { lifecycle } = services;
    const { by, account_id: accountId, model, provider, format } = request.query;
    const { since, until = new Date(tomorrowMs()) } = periodOf(request.query);
    const first = since ?? new Date(until.getTime() - daysDefault * dayMs);
    const filter = { since: first, until, accountId, model, provider };
    const list = await listResponse<MarginRowView>(services, request, {
      columns: columns.map((name) => [name, (row) => row[name]]),
      contentName: `margin-by-${by}`,
      read: async ({ cursor, limit }) => {
        const after = readCursor(cursor);
        // A file is read in the order of keys, which does not change meanwhile.
        const largestFirst = by !== 'day' && format === undefined;
        const max = limit + 1;
        const rows = await readMargin(lifecycle.db, filter, { by, largestFirst, after, max });
        const page = rows.slice(0, limit);
        const ids = by === 'account' ? page.map(({ key }) => key) : [];
        const names = await findAccountNames(lifecycle.db, ids);
        return {
          items: page.map((row) => ({
            key: row.key,
            name: names.get(row.key) ?? row.key,
            attempts: row.attempts,
            ...figuresView(lifecycle, row),
          })),
          nextCursor: rows.length > limit ? cursorAt(page.at(-1)!) : null,
        };
      },
    });
    if (format) return list;
    const [total] = await readMargin(lifecycle.db, filter, { by: 'total', max: 1 });
    const { currency, creditMicros } = lifecycle.settings;
    const body = {
      ...(list.body as Pick<MarginResponse, 'items' | 'next_cursor'>),
      currency,
      credit_value: unitsOrNull(creditMicros),
      total: {
        key: 'total',
        name: 'total',
        attempts: total?.attempts ?? 0,
        ...figuresView(lifecycle, total ?? noFigures),
      },
    } satisfies MarginResponse;
    return { body };
  },
});

const cursorAt = ({ size, key }: MarginCursor): string => `${size}:${key}`;

function readCursor(cursor: string | undefined): MarginCursor | undefined {
  if (cursor === undefined) return undefined;
  const [, size, key] = /^(\d{1,18}):(.+)$/s.exec(cursor) ?? [];
  if (size === undefined || key === undefined) throw invalidCursor();
  return { size: Number(size), key };
}

const columns = [
  ...(['key', 'name', 'tasks', 'credits', 'revenue', 'attempts'] as const),
  ...(['cost', 'margin', 'cost_unknown'] as const),
];

/** Of whole days in UTC; `until` is the midnight after the last. */
export function periodOf(query: { since?: string | undefined; until?: string | undefined }): {
  readonly since?: Date;
  readonly until?: Date;
} {
  const { since, until } = query;
  if (since !== undefined && until !== undefined && since > until) {
    throw invalidRequest(`since must not be after until (got ${since}, ${until})`);
  }
  return {
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(until === undefined ? {} : { until: new Date(Date.parse(until) + dayMs) }),
  };
}

const tomorrowMs = () => (Math.floor(nowMs() / dayMs) + 1) * dayMs;

export function figuresView(
  { settings: { creditMicros } }: Pick<LifecycleContext, 'settings'>,
  { tasks, credits, revenueMicros, costMicros, costUnknown }: Figures,
) {
  const revenue = creditMicros === null ? null : revenueMicros;
  return {
    tasks,
    credits,
    revenue: unitsOrNull(revenue),
    cost: unitsOf(costMicros),
    margin: unitsOrNull(revenue === null ? null : revenue - costMicros),
    cost_unknown: costUnknown,
  };
}

export const unitsOf = (micros: number): number => micros / microsPerUnit;
export const unitsOrNull = (micros: number | null): number | null =>
  micros === null ? null : unitsOf(micros);

export const marginEndpoints = [getMargin];
