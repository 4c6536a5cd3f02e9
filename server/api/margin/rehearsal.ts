/** A price rehearsal, for administrators alone. It changes nothing. */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { Costs } from '@vidgen/contract/costs.ts';
import {
  RehearsalRequest,
  RehearsalResponse,
  type RehearsalRow,
} from '@vidgen/contract/margin-rehearsal.ts';
import { findAccountNames } from '../../accounts/people/membership.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import {
  emptyRehearsal,
  type Figures,
  type Rehearsed,
  rehearsePrices,
} from '../../lifecycle/rehearse-prices.ts';
import { nowMs } from '../../process/clock.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { unitsOf, unitsOrNull } from './margin.ts';

const periodMs = 30 * 86_400_000;
const tasksMax = 100_000;
const rowsMax = 500;
const note =
  'Customers are taken to order the same as before; demand may change with prices. Tasks whose ' +
  'rows were erased are left out.';

const figuresSample = { tasks: 12, credits: 480, revenue: 4.8, cost: 3.36, margin: 1.44 };
const rowSample = {
  now: { ...figuresSample, cost_unknown: 0 },
  rehearsed: { ...figuresSample, credits: 576, revenue: 5.76, margin: 2.4, cost_unknown: 0 },
  ...{ refused_balance: 1, refused_cap: 0 },
};

const rehearse = endpoint({
  operationId: 'rehearsePrices',
  method: 'POST',
  path: '/admin/margin/rehearsal',
  summary: 'Rehearse prices',
  description:
    'What the live tasks of the last 30 days would have earned and cost with other prices, ' +
    'another provider or other costs, and which of them balances and caps would have refused. ' +
    'Nothing is changed.',
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
          ...{ currency: 'USD', since: 1_767_225_600, tasks: 14, is_partial: false, unpriced: 0 },
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
  async handler({ lifecycle }, { body, abortSignal, reauthorize }) {
    const { account_id: accountId = null, percent = null, prices: rates = null } = body;
    for (const [field, models] of Object.entries({ prices: rates, costs: body.costs })) {
      assertModels(lifecycle, field, models ?? {});
    }
    const whatIf = { accountId, percent, rates, costs: costsOf(lifecycle, body) };
    const since = new Date(nowMs() - periodMs);
    const found = await rehearsePrices(lifecycle, whatIf, {
      ...{ since, tasksMax },
      signal: abortSignal(),
    });
    // It can take two minutes.
    await reauthorize(lifecycle.db, { lock: false });
    const largest = [...found.accounts]
      .toSorted(([, one], [, other]) => other.now.credits - one.now.credits)
      .slice(0, rowsMax);
    const ids = largest.map(([id]) => id);
    const names = await findAccountNames(lifecycle.db, ids);
    const items = largest.map(([id, one]): RehearsalRow => {
      return { account_id: id, name: names.get(id) ?? id, ...rowView(lifecycle, one) };
    });
    const response: RehearsalResponse = {
      currency: lifecycle.settings.currency,
      since: found.first && unixSeconds(found.first),
      tasks: found.tasks,
      is_partial: found.isPartial,
      unpriced: found.unpriced,
      total: rowView(lifecycle, [...found.accounts.values()].reduce(sumOf, emptyRehearsal())),
      items,
      note,
    };
    return { body: response };
  },
});

type Models = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function assertModels({ catalog }: LifecycleContext, field: string, models: Models): void {
  for (const [name, rates] of Object.entries(models)) {
    const model = catalog.find(name);
    if (!model) throw invalid(`${field}.${name} is not a model; remove it`);
    const known = model.limits.resolutions;
    const wrong = Object.keys(rates).find((one) => !known.includes(one));
    if (wrong === undefined) continue;
    throw invalid(
      `${field}.${name}.${wrong} is not a resolution of ${name}; use ${known.join(', ')}`,
    );
  }
}

function costsOf(
  { providers }: LifecycleContext,
  { providers: chosen = {}, costs = {} }: RehearsalRequest,
): Record<string, Costs> {
  const found: Record<string, Costs> = {};
  for (const [model, provider] of Object.entries(chosen)) {
    const own = providers.limitsOf(provider).costs;
    if (!own?.models?.[model]) {
      throw invalid(`The provider ${provider} has no costs of ${model}; send costs.${model}.`);
    }
    found[model] = own;
  }
  for (const [model, rates] of Object.entries(costs)) found[model] = { models: { [model]: rates } };
  return found;
}

const invalid = (message: string) => new ApiError('invalid_request', message);

function sumOf(sum: Rehearsed, one: Rehearsed): Rehearsed {
  const add = (to: Figures, more: Figures): Figures => ({
    tasks: to.tasks + more.tasks,
    credits: to.credits + more.credits,
    costMicros: to.costMicros + more.costMicros,
    costUnknown: to.costUnknown + more.costUnknown,
  });
  return {
    now: add(sum.now, one.now),
    rehearsed: add(sum.rehearsed, one.rehearsed),
    refusedBalance: sum.refusedBalance + one.refusedBalance,
    refusedCap: sum.refusedCap + one.refusedCap,
  };
}

function rowView({ settings: { creditMicros } }: LifecycleContext, one: Rehearsed) {
  const view = ({ tasks, credits, costMicros, costUnknown }: Figures) => {
    const revenue = creditMicros === null ? null : credits * creditMicros;
    return {
      ...{ tasks, credits, revenue: unitsOrNull(revenue), cost: unitsOf(costMicros) },
      margin: unitsOrNull(revenue === null ? null : revenue - costMicros),
      cost_unknown: costUnknown,
    };
  };
  const { now, rehearsed, refusedBalance, refusedCap } = one;
  const refused = { refused_balance: refusedBalance, refused_cap: refusedCap };
  return { now: view(now), rehearsed: view(rehearsed), ...refused };
}

export const rehearsalEndpoints = [rehearse];
