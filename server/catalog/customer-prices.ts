/**
 * The prices of one customer, as the rates of a model: the estimate, the create and the list of
 * models read the same rates, so they agree.
 */
import type { Rate as DeclaredRate } from '@vidgen/contract/model-declaration.ts';
import { type CustomerPrices, percentOf, type Rate, rateOf } from '@vidgen/contract/price.ts';
import { type Model, secondRate } from './models.ts';

/** A fixed rate replaces that of the model; the percentage applies to all other rates. */
export function withPrices(model: Model, prices: CustomerPrices | null | undefined): Model {
  if (!prices) return model;
  const rates = Object.entries(model.rates).map(([resolution, listed]) => {
    const fixed = prices.rates?.[model.name]?.[resolution];
    const rate = fixed ? fixedRate(model, fixed) : atPercent(listed!, prices.percent ?? 100);
    return [resolution, rate] as const;
  });
  return { ...model, rates: Object.fromEntries(rates) };
}

/** A model of the contract keeps its factor of 1.5 for a second with a video reference. */
function fixedRate({ source }: Model, given: DeclaredRate): Rate {
  if (source !== 'contract') return rateOf(given);
  const { perSecondWithVideo } = secondRate(given.perSecond ?? 0, given.perSecondWithVideo);
  return rateOf({ ...given, perSecondWithVideo });
}

const atPercent = (rate: Rate, percent: number): Rate =>
  rateOf(
    Object.fromEntries(
      Object.entries(rate).map(([name, value]) => [name, percentOf(value, percent)]),
    ),
  );
