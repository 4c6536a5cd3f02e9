/**
 * The models and prices of this installation: default prices with the operator's overrides, and
 * which models are served. A model without a complete price is not served (Decision 0001, "Price").
 */
import {
  type ModelName,
  modelNames,
  type Resolution,
  resolutions,
} from '@vidgen/contract/models.ts';
import { type ModelPrices, models, type Rate, videoReferenceFactor } from './models.ts';

/**
 * A plain number is the rate without a video reference; the rate with one is 1.5 times that. Null
 * removes the price, and with it the model.
 */
type RateOverride =
  | number
  | { readonly perSecond: number; readonly perSecondWithVideo?: number }
  | null;

type CatalogOverrides = {
  readonly prices?: Readonly<
    Partial<Record<ModelName, Readonly<Partial<Record<Resolution, RateOverride>>>>>
  >;
  /** Models without a provider. */
  readonly unserved?: readonly ModelName[];
  /** Further names of models, for clients of other vendors. */
  readonly aliases?: Readonly<Record<string, ModelName>>;
};

export type Prices = Readonly<Record<ModelName, ModelPrices>>;

export type Catalog = {
  readonly prices: Prices;
  readonly served: ReadonlySet<ModelName>;
  /** Taken by the endpoints that speak the format of another vendor. */
  readonly aliases: ReadonlyMap<string, ModelName>;
};

/** Throws one error that names every invalid override; the service must not start with one. */
export function createCatalog(overrides: CatalogOverrides = {}): Catalog {
  const problems = overrideProblems(overrides);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const prices = Object.fromEntries(
    modelNames.map((model) => [model, mergedPrices(model, overrides)]),
  ) as Record<ModelName, ModelPrices>;
  const served = modelNames.filter((model) => {
    const isPriced = models[model].limits.resolutions.every((name) => prices[model][name]);
    return isPriced && !overrides.unserved?.includes(model);
  });
  const aliases = new Map(Object.entries(overrides.aliases ?? {}));
  return { prices, served: new Set(served), aliases };
}

/** In the order of the contract. */
export const servedModels = (catalog: Catalog): ModelName[] =>
  modelNames.filter((model) => catalog.served.has(model));

function mergedPrices(model: ModelName, overrides: CatalogOverrides): ModelPrices {
  const given = overrides.prices?.[model] ?? {};
  const merged: Partial<Record<Resolution, Rate>> = {};
  for (const resolution of models[model].limits.resolutions) {
    const override = given[resolution];
    const rate = override === undefined ? models[model].prices[resolution] : rateOf(override);
    if (rate) merged[resolution] = rate;
  }
  return merged;
}

function rateOf(override: RateOverride): Rate | null {
  if (override === null) return null;
  const { perSecond, perSecondWithVideo = roundRate(perSecond * videoReferenceFactor) } =
    typeof override === 'number' ? { perSecond: override } : override;
  return { perSecond, perSecondWithVideo };
}

/** The number of decimals that price.ts calculates with. */
const roundRate = (figure: number): number => Math.round(figure * 10_000) / 10_000;

/** Keeps every product of a rate and a duration exact; see price.ts. */
const perSecondMax = 1_000_000;

function overrideProblems({ prices = {}, unserved = [], aliases = {} }: CatalogOverrides) {
  const isModel = (name: string): name is ModelName => modelNames.includes(name as ModelName);
  const named = [...Object.keys(prices), ...unserved, ...Object.values(aliases)];
  const problems = named
    .filter((name) => !isModel(name))
    .map((name) => `${name} is not a model; known models: ${modelNames.join(', ')}`);
  problems.push(
    ...Object.keys(aliases)
      .filter(isModel)
      .map((name) => `aliases.${name} is a model itself; use another name`),
  );
  for (const model of modelNames) {
    for (const [resolution, override] of Object.entries(prices[model] ?? {})) {
      const path = `prices.${model}.${resolution}`;
      const allowed = models[model].limits.resolutions;
      if (!allowed.includes(resolution as Resolution)) {
        const isKnown = resolutions.includes(resolution as Resolution);
        const why = isKnown ? `${model} does not render it` : 'it is not a resolution';
        problems.push(`${path}: ${why}, allowed are ${allowed.join(', ')}`);
        continue;
      }
      const rate = override === undefined ? null : rateOf(override);
      for (const figure of rate ? [rate.perSecond, rate.perSecondWithVideo] : []) {
        if (!isRate(figure)) {
          problems.push(`${path} must be 0 to ${perSecondMax} with at most 4 decimals`);
          break;
        }
      }
    }
  }
  return problems;
}

const isRate = (figure: unknown): boolean =>
  typeof figure === 'number' &&
  figure >= 0 &&
  figure <= perSecondMax &&
  roundRate(figure) === figure;
