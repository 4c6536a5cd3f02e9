/**
 * The models of this installation: those of the contract at default prices or the operator's, those
 * of the configuration file, and those declared in the dashboard, which can change while the
 * process runs. A model without a complete price is not served (Decision 0001, "Price").
 */
import type { DeclaredModel } from '@vidgen/contract/model-declaration.ts';
import {
  type ModelName,
  modelNames,
  type Resolution,
  resolutions,
} from '@vidgen/contract/models.ts';
import { modelOf } from './declared-model.ts';
import { contractModels, type Model, type ModelRates, roundRate, secondRate } from './models.ts';
import { type RequestSchema, requestSchemaOf } from './request-schema.ts';

/**
 * A plain number is the rate without a video reference; the rate with one is 1.5 times that. Null
 * removes the price, and with it the model.
 */
type RateOverride =
  | number
  | { readonly perSecond: number; readonly perSecondWithVideo?: number | undefined }
  | null;

type CatalogOverrides = {
  readonly prices?:
    | Readonly<Partial<Record<ModelName, Readonly<Partial<Record<Resolution, RateOverride>>>>>>
    | undefined;
  /** Null stops offering a model of the contract. */
  readonly models?: Readonly<Record<ModelName, DeclaredModel | null>> | undefined;
  /** Further names of models, for clients of other vendors. */
  readonly aliases?: Readonly<Record<string, ModelName>> | undefined;
};

export type Catalog = ReturnType<typeof createCatalog>;

/** Throws one error that names every invalid override; the service must not start with one. */
export function createCatalog(overrides: CatalogOverrides = {}) {
  const problems = overrideProblems(overrides);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const { models: declared = {}, aliases = {} } = overrides;
  const own = [
    ...contractModels
      .filter(({ name }) => declared[name] !== null)
      .map((model) => ({ ...model, rates: ratesOf(model, overrides) }))
      .filter(({ limits, rates }) => limits.resolutions.every((name) => rates[name])),
    ...Object.entries(declared).flatMap(([name, one]) => (one ? modelOf(name, one, 'file') : [])),
  ];
  const reserved = new Set([...modelNames, ...Object.keys(declared), ...Object.keys(aliases)]);
  let models: ReadonlyMap<ModelName, Model> = mapOf(own);
  let requestSchema = requestSchemaOf(own);
  return {
    /** Taken by the endpoints that speak the format of another vendor. */
    aliases: new Map(Object.entries(aliases)) as ReadonlyMap<string, ModelName>,
    /** Undefined if it is not offered, or not any more. */
    find: (name: string): Model | undefined => models.get(name),
    /** Those of the contract first, in its order. */
    list: (): readonly Model[] => [...models.values()],
    names: (): readonly ModelName[] => [...models.keys()],
    requestSchema: (): RequestSchema => requestSchema,
    /** Whether the contract or the configuration file has a model or an alias of this name. */
    isReserved: (name: string): boolean => reserved.has(name),
    /** Replaces all that are declared in the dashboard. What the file has wins. */
    setStored(stored: Readonly<Record<ModelName, DeclaredModel>>): void {
      const added = Object.entries(stored).filter(([name]) => !reserved.has(name));
      const all = [...own, ...added.map(([name, one]) => modelOf(name, one, 'dashboard'))];
      models = mapOf(all);
      requestSchema = requestSchemaOf(all);
    },
  };
}

const mapOf = (models: readonly Model[]): ReadonlyMap<ModelName, Model> =>
  new Map(models.map((model) => [model.name, model]));

function ratesOf({ name, rates }: Model, { prices = {} }: CatalogOverrides): ModelRates {
  const given = prices[name] ?? {};
  const entries = Object.entries(rates).map(([resolution, rate]) => {
    const override = given[resolution];
    return [resolution, override === undefined ? rate : rateOf(override)] as const;
  });
  return Object.fromEntries(entries.filter(([, rate]) => rate !== null)) as ModelRates;
}

function rateOf(override: RateOverride) {
  if (override === null) return null;
  if (typeof override === 'number') return secondRate(override);
  return secondRate(override.perSecond, override.perSecondWithVideo);
}

/** Keeps every product of a rate and a duration exact; see price.ts. */
const perSecondMax = 1_000_000;

function* nameProblems({ prices = {}, models = {}, aliases = {} }: CatalogOverrides) {
  const declared = Object.keys(models).filter((name) => models[name] !== null);
  const contractNames: readonly string[] = modelNames;
  const known = [...contractNames, ...declared];
  for (const name of [...Object.keys(prices), ...Object.values(aliases)]) {
    if (!known.includes(name)) yield `${name} is not a model; known models: ${known.join(', ')}`;
  }
  for (const name of Object.keys(prices).filter((one) => declared.includes(one))) {
    yield `prices.${name} is not used; write its prices into models.${name}.resolutions`;
  }
  for (const name of Object.keys(aliases).filter((one) => known.includes(one))) {
    yield `aliases.${name} is a model itself; use another name`;
  }
  for (const [name, one] of Object.entries(models)) {
    const isContract = contractNames.includes(name);
    if (isContract && one !== null) {
      const instead = `set its prices in prices.${name}, or null to stop offering it`;
      yield `models.${name} is a model of the contract; ${instead}`;
    } else if (!isContract && one === null) {
      yield `models.${name} is null, which only stops offering ${contractNames.join(', ')}`;
    }
  }
}

function overrideProblems(overrides: CatalogOverrides): string[] {
  const problems: string[] = [...nameProblems(overrides)];
  for (const { name: model, limits } of contractModels) {
    for (const [resolution, override] of Object.entries(overrides.prices?.[model] ?? {})) {
      const path = `prices.${model}.${resolution}`;
      if (!limits.resolutions.includes(resolution)) {
        const isKnown = resolutions.some((name) => name === resolution);
        const why = isKnown ? `${model} does not render it` : 'it is not a resolution';
        problems.push(`${path}: ${why}, allowed are ${limits.resolutions.join(', ')}`);
        continue;
      }
      const rate = override === undefined ? null : rateOf(override);
      if (rate && ![rate.perSecond, rate.perSecondWithVideo].every(isRate)) {
        problems.push(`${path} must be 0 to ${perSecondMax} with at most 4 decimals`);
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
