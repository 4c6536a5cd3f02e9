/** What live tasks earned and cost: for administrators alone. */
import {
  MarginQuery,
  MarginResponse,
  type MarginRow as MarginRowView,
} from '@vidgen/contract/margin.ts';
import { microsPerUnit } from '@vidgen/contract/price.ts';
import { findAccountNames } from '../../accounts/people/membership.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { nowMs } from '../../process/clock.ts';
import { type MarginRow, readMargin, readMarginTotal } from '../../tasks/margin.ts';
import { usageLimit } from '../credits/usage.ts';
import type { CsvColumn } from '../http/csv.ts';
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
    '`creditValue` of today; test tasks earn nothing. A cost is what the provider reports, what ' +
    'its `costs` say, or what its bill says. Unknown costs are counted apart, never as 0.',
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
    const { by, since, until, account_id: accountId, model, provider } = request.query;
    const last = until ?? new Date(nowMs()).toISOString().slice(0, 10);
    const end = Date.parse(last) + dayMs;
    const first = since === undefined ? end - daysDefault * dayMs : Date.parse(since);
    const filter = { since: new Date(first), until: new Date(end), accountId, model, provider };
    const [list, total] = await Promise.all([
      listResponse<MarginRowView>(services, request, {
        columns,
        contentName: `margin-by-${by}`,
        read: async ({ cursor, limit }) => {
          const rows = await readMargin(lifecycle.db, filter, {
            by,
            after: cursor,
            max: limit + 1,
          });
          const page = rows.slice(0, limit);
          const names =
            by === 'account'
              ? await findAccountNames(
                  lifecycle.db,
                  page.map(({ key }) => key),
                )
              : new Map<string, string>();
          return {
            items: page.map((row) => rowView(lifecycle, row, names.get(row.key))),
            nextCursor: rows.length > limit ? page.at(-1)!.key : null,
          };
        },
      }),
      request.query.format ? null : readMarginTotal(lifecycle.db, filter),
    ]);
    if (total === null) return list;
    const { currency, creditMicros } = lifecycle.settings;
    const body = {
      ...(list.body as Pick<MarginResponse, 'items' | 'next_cursor'>),
      currency,
      credit_value: unitsOrNull(creditMicros),
      total: rowView(lifecycle, total, undefined),
    } satisfies MarginResponse;
    return { body };
  },
});

const columns: readonly CsvColumn<MarginRowView>[] = [
  ['key', ({ key }) => key],
  ['name', ({ name }) => name],
  ['tasks', ({ tasks }) => tasks],
  ['credits', ({ credits }) => credits],
  ['revenue', ({ revenue }) => revenue],
  ['attempts', ({ attempts }) => attempts],
  ['cost', ({ cost }) => cost],
  ['margin', ({ margin }) => margin],
  ['cost_unknown', ({ cost_unknown }) => cost_unknown],
];

function rowView(
  { settings: { creditMicros } }: Pick<LifecycleContext, 'settings'>,
  { key, costMicros, costUnknown, ...counts }: MarginRow,
  name = key,
): MarginRowView {
  const revenue = creditMicros === null ? null : counts.credits * creditMicros;
  return {
    key,
    name,
    ...counts,
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
