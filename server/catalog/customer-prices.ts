/**
 * The prices of one customer, as the rates of a model: the estimate, the create and the list of
 * models read the same rates, so they agree.
 */
import { type CustomerPrices, percentOf, type Rate, rateOf } from '@vidgen/contract/price.ts';
import type { Model } from './models.ts';

/** A fixed rate replaces that of the model; the percentage applies to all other rates. */
export function withPrices(model: Model, prices: CustomerPrices | null | undefined): Model {
  if (!prices) return model;
  const { percent, rates: given } = prices;
  const own = given?.[model.name] ?? {};
  const rates = Object.entries(model.rates).map(([resolution, rate]) => {
    const fixed = own[resolution];
    return [resolution, fixed ? rateOf(fixed) : atPercent(rate, percent ?? 100)] as const;
  });
  return { ...model, rates: Object.fromEntries(rates) };
}

const atPercent = (rate: Rate | undefined, percent: number) =>
  rate && {
    perSecond: percentOf(rate.perSecond, percent),
    perSecondSilent: percentOf(rate.perSecondSilent, percent),
    perSecondWithVideo: percentOf(rate.perSecondWithVideo, percent),
    perInputSecond: percentOf(rate.perInputSecond, percent),
    perTask: percentOf(rate.perTask, percent),
  };
