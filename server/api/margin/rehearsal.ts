/** A price rehearsal, for administrators alone. It changes nothing. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import type { Costs } from '@vidgen/contract/costs.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import { RehearsalRequest, RehearsalResponse } from '@vidgen/contract/margin.ts';
import { findAccountNames } from '../../accounts/people/membership.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { emptyRehearsal, type Rehearsed, rehearsePrices } from '../../lifecycle/rehearse-prices.ts';
import { nowMs } from '../../process/clock.ts';
import { addFigures } from '../../tasks/margin.ts';
import { createdAtOf } from '../../tasks/task-id.ts';
import { requireKnownModels } from '../accounts/accounts.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { figuresView } from './margin.ts';

const periodMs = 30 * 86_400_000;
const tasksMax = 100_000;
const rowsMax = 500;
const note =
  'Customers are taken to order the same as before; demand may change with prices. Tasks whose ' +
  'rows were erased are left out; those without a price any more count as charged.';

const figuresSample = { tasks: 12, credits: 480, revenue: 4.8, cost: 3.36, margin: 1.44 };
const rowSample = {
  now: { ...figuresSample, cost_unknown: 0 },
  rehearsed: { ...figuresSample, credits: 576, revenue: 5.76, margin: 2.4, cost_unknown: 0 },
  refused_balance: 1,
  refused_cap: 0,
};

const rehearse = endpoint({
  operationId: 'rehearsePrices',
  method: 'POST',
  path: '/admin/margin/rehearsal',
  summary: 'Rehearse prices',
  description:
    'What the live tasks of the last 30 days would have earned and cost with other prices, ' +
    'or another provider, and which of them balances and caps would have refused. Nothing is ' +
    'changed.',
  auth: 'admin',
  sessionLimit: { purpose: 'rehearsals', perMinute: 6 },
  secondsMax: 120,
  body: RehearsalRequest,
  requestExamples: { percent: ['20 % more', { percent: 120 }] },
  responses: {
    200: jsonResponse('Now and rehearsed, in all and by customer.', RehearsalResponse, {
      more: [
        '20 % more',
        {
          currency: 'USD',
          tasks: 14,
          since: 1_767_225_600,
          total: rowSample,
          items: [
            { account_id: '0198c0de-7a11-7c0f-8d2e-3b4a5c6d7e8f', name: 'Acme', ...rowSample },
          ],
          note,
        },
      ],
    }),
  },
  errors: { invalid_request: 'percent must be 999 or less', rate_limited: true },
  async handler(services, { body, abortSignal, reauthorize }) {
    const { lifecycle } = services;
    const { account_id: accountId = null, percent = null, prices: rates = null } = body;
    requireKnownModels(rates ?? {}, services);
    const whatIf = { accountId, percent, rates, costs: costsAt(lifecycle, body.providers ?? {}) };
    const since = new Date(nowMs() - periodMs);
    const signal = abortSignal();
    const found = await rehearsePrices(lifecycle, whatIf, { since, tasksMax, signal });
    // It can take two minutes.
    await reauthorize(lifecycle.db, { lock: false });
    const largest = [...found.accounts]
      .toSorted(([, one], [, other]) => other.now.credits - one.now.credits)
      .slice(0, rowsMax);
    const ids = largest.map(([id]) => id);
    const names = await findAccountNames(lifecycle.db, ids);
    const { tasks, firstTaskId } = found;
    const response: RehearsalResponse = {
      currency: lifecycle.settings.currency,
      tasks,
      since: firstTaskId === undefined ? null : unixSeconds(createdAtOf(firstTaskId)),
      total: rowView(lifecycle, [...found.accounts.values()].reduce(sumOf, emptyRehearsal)),
      items: largest.map(([id, one]) => {
        return { account_id: id, name: names.get(id) ?? id, ...rowView(lifecycle, one) };
      }),
      note,
    };
    return { body: response };
  },
});

function costsAt(
  { providers }: LifecycleContext,
  chosen: NonNullable<RehearsalRequest['providers']>,
): Record<string, Costs> {
  const found = Object.entries(chosen).map(([model, provider]) => {
    const { costs } = providers.limitsOf(provider);
    if (costs?.models?.[model]) return [model, costs] as const;
    const rule = `The provider ${formatValue(provider)} has no costs of ${model}`;
    throw invalidRequest(`${rule}; set \`costs.models\` of the provider.`);
  });
  return Object.fromEntries(found);
}

const sumOf = (sum: Rehearsed, one: Rehearsed): Rehearsed => ({
  now: addFigures(sum.now, one.now),
  rehearsed: addFigures(sum.rehearsed, one.rehearsed),
  refusedBalance: sum.refusedBalance + one.refusedBalance,
  refusedCap: sum.refusedCap + one.refusedCap,
});

const rowView = (lifecycle: LifecycleContext, { now, rehearsed, ...refused }: Rehearsed) => ({
  now: figuresView(lifecycle, now),
  rehearsed: figuresView(lifecycle, rehearsed),
  refused_balance: refused.refusedBalance,
  refused_cap: refused.refusedCap,
});

export const rehearsalEndpoints = [rehearse];
