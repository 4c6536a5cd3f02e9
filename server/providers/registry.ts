/**
 * Which providers serve a model, in the order in which they are tried. Tasks of test keys and of
 * the demo account always go to a preview; live tasks do only by a route, or when no provider is
 * configured. Providers that are connected in the dashboard can change while the process runs.
 */
import { type Costs, defaultCurrency } from '@vidgen/contract/costs.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import {
  modelNames as contractModelNames,
  type KeyMode,
  type ModelName,
} from '@vidgen/contract/models.ts';
import { type MonitoredProvider, monitor, type ProviderHealth } from './health.ts';
import { previewNames } from './preview/preview.ts';
import type { Provider } from './provider.ts';
import {
  type CostsOf,
  costReason,
  namesOf,
  orderOf,
  type RoutedTask,
  type RouteStep,
  servingOnly,
} from './route.ts';

export type ProviderLimits = {
  /** Tasks at the same time, over all processes. */
  readonly concurrency?: number;
  /** New tasks per minute of this process. */
  readonly startsPerMinute?: number;
  /** What the upstream bills. */
  readonly costs?: Costs;
};

export type RegistryOptions = {
  /** All models of the installation, which may change; those of the contract by default. */
  readonly modelNames?: () => readonly ModelName[];
  /**
   * Of several under one name, the first takes new tasks; the others have older credentials or
   * settings and only poll the tasks that were started with them.
   */
  readonly providers: Readonly<Record<string, Provider | readonly Provider[]>>;
  readonly limits?: Readonly<Record<string, ProviderLimits>>;
  /** Of the installation, for routes by cost. */
  readonly currency?: string;
  /** Of live tasks, in the order of preference. */
  readonly routes: Partial<Record<ModelName, readonly RouteStep[]>>;
  readonly preview: Provider;
  /** The preview of test keys, whose prompts can force an outcome. */
  readonly testPreview: Provider;
};

/** Providers and routes from the dashboard. What the configuration file has wins. */
export type ConnectedSet = Pick<RegistryOptions, 'routes'> & {
  readonly providers: Readonly<Record<string, readonly Provider[]>>;
  readonly limits: Readonly<Record<string, ProviderLimits>>;
  /** Models that had a route: a live task created before is not made by the preview. */
  readonly unroutedSince?: Partial<Record<ModelName, Date>>;
};

type TaskOrigin = { readonly mode: KeyMode; readonly demo: boolean };

export type Registry = {
  /** All models of the installation, served or not. */
  modelNames(): readonly ModelName[];
  /** Replaces all that are connected. One that did not change keeps its health and its limits. */
  setConnected(connected: ConnectedSet): void;
  routeSource(model: ModelName): 'file' | 'dashboard' | 'default';
  /**
   * Returns an empty list when no provider serves the model. The task id decides the order of
   * weighted providers, so that it is the same for every call. Without `createdAt`, for a new task.
   */
  routeFor(
    model: ModelName,
    task: TaskOrigin & RoutedTask & { readonly createdAt?: Date },
  ): readonly Provider[];
  /** Why a provider has its place in the route of a model; null if costs do not decide that. */
  costReason(model: ModelName, task: RoutedTask & { readonly provider: string }): string | null;
  /** Returns why no provider of the route can make it, as a message for the customer, or null. */
  unsupportedReason(generation: Generation, task: TaskOrigin): string | null;
  /**
   * Returns the first of these image formats that no provider of the route takes, and those that
   * its first provider does; null if there is none.
   */
  untakenImage(
    model: ModelName,
    task: TaskOrigin,
    formats: readonly (string | null)[],
  ): { readonly index: number; readonly taken: readonly string[] } | null;
  /**
   * Returns the provider of an operation; undefined when it is no longer configured. Without
   * `credential`, the one that takes new tasks; null is that of a task started without a key.
   */
  get(name: string, credential?: string | null): Provider | undefined;
  has(name: string, credential: string | null): boolean;
  list(): readonly { readonly name: string; readonly credential: string | null }[];
  /** The names in the route of live tasks, in any order. */
  routeNames(model: ModelName): readonly string[];
  /** The steps of that route, with the providers that serve the model. */
  routeSteps(model: ModelName): readonly RouteStep[];
  /** Whether no provider but the preview serves live tasks of the model. */
  isPreviewed(model: ModelName): boolean;
  /** How many more starts of the model its health permits now. */
  availableStarts(name: string, model: ModelName): number;
  /** Takes the place of one start until it is disposed of; null if none is permitted. */
  reserveStart(name: string, model: ModelName): Disposable | null;
  /** Waits for a start under way to end, where those prevent another; returns whether it has. */
  waitForStart(name: string, model: ModelName, waitMs: number): Promise<boolean>;
  limitsOf(name: string): ProviderLimits;
  health(): readonly ProviderHealth[];
  servedModels(): readonly ModelName[];
  unserved(): readonly ModelName[];
  close(): Promise<void>;
};

type RegisteredProvider = {
  readonly current: MonitoredProvider;
  /** What `current` monitors. */
  readonly source: Provider;
  readonly all: readonly Provider[];
};

/** The providers of this process by name: the previews, the configured and the connected ones. */
function createProviderTable({ preview, testPreview, providers, limits = {} }: RegistryOptions) {
  const registered = new Map<string, RegisteredProvider>();
  const configured = new Map<string, RegisteredProvider>();
  const createdProviders = new Set<Provider>();
  const create = (
    [first, ...older]: readonly Provider[],
    providerLimits: ProviderLimits | undefined,
  ): RegisteredProvider => {
    const current = monitor(first!, providerLimits);
    return { current, source: first!, all: [current.provider, ...older] };
  };
  for (const given of [preview, testPreview, ...Object.values(providers)]) {
    const list = [given].flat() as readonly Provider[];
    for (const one of list) createdProviders.add(one);
    configured.set(list[0]!.name, create(list, limits[list[0]!.name]));
  }
  const setConnected = (connected: ConnectedSet): void => {
    const before = new Map(registered);
    registered.clear();
    for (const [name, one] of configured) registered.set(name, one);
    for (const [name, list] of Object.entries(connected.providers)) {
      for (const one of list) createdProviders.add(one);
      const [first, ...older] = list;
      const file = configured.get(name);
      const known = before.get(name);
      if (file) {
        // Tasks that were started with a connected key are finished with it.
        registered.set(name, { ...file, all: [...file.all, ...list] });
      } else if (known && known.source === first) {
        registered.set(name, { ...known, all: [known.current.provider, ...older] });
      } else {
        registered.set(name, create(list, connected.limits[name]));
      }
    }
  };
  setConnected({ providers: {}, limits: {}, routes: {} });
  return { registered, setConnected, createdProviders };
}

export function createRegistry(options: RegistryOptions): Registry {
  const { preview, testPreview, limits = {}, modelNames = () => contractModelNames } = options;
  assertNames(options);
  const { registered, createdProviders, ...table } = createProviderTable(options);
  let connected: ConnectedSet = { providers: {}, limits: {}, routes: {} };

  const onlyPreview = Object.keys(options.providers).length === 0;
  const currentOf = (name: string): Provider => registered.get(name)!.current.provider;
  /** Until the connected providers change; creates read it. */
  const knownSteps = new Map<ModelName, readonly RouteStep[]>();
  const stepsOf = (model: ModelName): readonly RouteStep[] => {
    const known = knownSteps.get(model);
    if (known) return known;
    const servesModel = (name: string) =>
      registered.has(name) && (currentOf(name).models?.includes(model) ?? true);
    const route =
      options.routes[model] ?? connected.routes[model] ?? (onlyPreview ? [preview.name] : []);
    const steps = route.flatMap((step) => servingOnly(step, servesModel));
    knownSteps.set(model, steps);
    return steps;
  };
  const served = () => modelNames().filter((model) => stepsOf(model).length > 0);

  const limitsOf = (name: string): ProviderLimits =>
    withCapacity(limits[name] ?? connected.limits[name] ?? {}, registered.get(name));
  const { currency = defaultCurrency } = options;
  const costs: CostsOf = { costsOf: (name) => limitsOf(name).costs, currency };
  const routeFor: Registry['routeFor'] = (model, task) => {
    const { mode, demo, createdAt } = task;
    if (mode === 'test') return [currentOf(testPreview.name)];
    if (demo) return [currentOf(preview.name)];
    const unroutedSince = options.routes[model] ? undefined : connected.unroutedSince?.[model];
    if (createdAt && unroutedSince && createdAt < unroutedSince) return [];
    return stepsOf(model).flatMap((step) => orderOf(step, task, costs).map(currentOf));
  };

  return {
    modelNames,
    routeFor,
    costReason: (model, task) => costReason(stepsOf(model), task, costs),
    setConnected(next) {
      table.setConnected(next);
      connected = next;
      knownSteps.clear();
    },
    routeSource: (model) =>
      options.routes[model] ? 'file' : connected.routes[model] ? 'dashboard' : 'default',
    unsupportedReason(generation, task) {
      const reasons = routeFor(generation.model, task).map(
        (provider) => provider.unsupportedReason?.(generation) ?? null,
      );
      return reasons.includes(null) ? null : (reasons[0] ?? null);
    },
    untakenImage(model, task, formats) {
      const route = routeFor(model, task);
      if (route.some((provider) => takesImages(provider, formats))) return null;
      const taken = route[0]?.imageFormats ?? [];
      const index = formats.findIndex((format) => format !== null && !taken.includes(format));
      return { index, taken };
    },
    get(name, credential) {
      const all = registered.get(name)?.all;
      return all?.find((provider) => (provider.credential ?? null) === credential) ?? all?.[0];
    },
    has(name, credential) {
      const all = registered.get(name)?.all ?? [];
      if (credential === null) return all.length > 0;
      return all.some((provider) => provider.credential === credential);
    },
    list: () =>
      [...registered].flatMap(([name, { all }]) =>
        all.map(({ credential = null }) => ({ name, credential })),
      ),
    routeNames: (model) => namesOf(stepsOf(model)),
    routeSteps: stepsOf,
    isPreviewed: (model) => {
      const names = namesOf(stepsOf(model));
      return names.length > 0 && names.every((name) => name === preview.name);
    },
    availableStarts: (name, model) => registered.get(name)?.current.availableStarts(model) ?? 0,
    reserveStart: (name, model) => registered.get(name)?.current.reserve(model) ?? null,
    waitForStart: async (name, model, waitMs) =>
      (await registered.get(name)?.current.waitForStart(model, waitMs)) ?? false,
    limitsOf,
    health: () => [...registered.values()].map(({ current }) => current.health()),
    servedModels: served,
    unserved: () => modelNames().filter((model) => !served().includes(model)),
    close: async () => {
      await Promise.all([...createdProviders].map((provider) => provider.close?.()));
    },
  };
}

/** A provider may know how many generations it can run at once, whatever is configured. */
function withCapacity(configured: ProviderLimits, registered?: RegisteredProvider) {
  const capacity = registered?.source.capacity?.();
  if (capacity === undefined) return configured;
  const { concurrency = capacity } = configured;
  return { ...configured, concurrency: Math.min(concurrency, capacity) };
}

/** An unknown format may be any: the provider decides. */
export const takesImages = (
  { imageFormats }: Provider,
  formats: readonly (string | null)[],
): boolean =>
  formats.every((format) => format === null || (imageFormats?.includes(format) ?? true));

/**
 * Operations are stored under the provider's name, so a name must always mean the same provider.
 */
function assertNames({ preview, testPreview, providers, routes }: RegistryOptions): void {
  const problems: string[] = [];
  const previews = [preview.name, testPreview.name];
  if (previews[0] === previews[1]) problems.push(`both previews have the name ${previews[0]}`);
  for (const [name, given] of Object.entries(providers)) {
    for (const provider of [given].flat()) {
      if (provider.name !== name) problems.push(`provider ${name} has the name ${provider.name}`);
    }
  }
  problems.push(...routeProblems({ names: Object.keys(providers), previews, routes }));
  if (problems.length > 0) throw new Error(`providers: ${problems.join('; ')}`);
}

/** Returns what is wrong with the names of providers and with the routes. */
export function routeProblems({
  names,
  previews = previewNames,
  routes,
}: {
  readonly names: readonly string[];
  readonly previews?: readonly string[];
  readonly routes: RegistryOptions['routes'];
}): string[] {
  const problems = names
    .filter((name) => previews.includes(name))
    .map((name) => `the name ${name} is reserved for previews`);
  const known = new Set([...previews, ...names]);
  for (const [model, steps = []] of Object.entries(routes)) {
    const used = namesOf(steps);
    for (const name of used) {
      if (!known.has(name)) problems.push(`the route of ${model} has the unknown provider ${name}`);
    }
    const twice = used.find((name, at) => used.indexOf(name) < at);
    if (twice !== undefined) problems.push(`the route of ${model} has the provider ${twice} twice`);
  }
  return problems;
}
