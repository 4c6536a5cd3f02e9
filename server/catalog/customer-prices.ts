/**
 * The prices of one customer, as the rates of a model: the estimate, the create and the list of
 * models read the same rates, so they agree.
 */
import { type CustomerPrices, percentOf, type Rate, rateOf } from '@vidgen/contract/price.ts';
import type { Model } from './models.ts';

/** A fixed rate replaces that of the model; the percentage applies to all other rates. */
export function withPrices(model: Model, prices: CustomerPrices | null | undefined): Model {
  if (!prices) return model;
  const rates = Object.entries(model.rates).map(([resolution, listed]) => {
    const fixed = prices.rates?.[model.name]?.[resolution];
    return [resolution, fixed ? rateOf(fixed) : atPercent(listed!, prices.percent ?? 100)] as const;
  });
  return { ...model, rates: Object.fromEntries(rates) };
}

const atPercent = (rate: Rate, percent: number): Rate =>
  rateOf(
    Object.fromEntries(
      Object.entries(rate).map(([name, value]) => [name, percentOf(value, percent)]),
    ),
  );
