/**
 * Which providers serve a model, in the order in which they are tried. Test keys and the demo
 * account never leave the previews; live tasks reach one only by a route, or where nothing else is
 * configured.
 */
import { type KeyMode, type ModelName, modelNames } from '@vidgen/contract/models.ts';
import type { Provider } from './provider.ts';

export type RegistryOptions = {
  readonly providers: Readonly<Record<string, Provider>>;
  /** For live tasks: names of providers, the first choice first. */
  readonly routes: Partial<Record<ModelName, readonly string[]>>;
  readonly preview: Provider;
  /** The preview as test keys have it, with outcomes that marks in the prompt force. */
  readonly testPreview: Provider;
};

export type Registry = {
  /** Empty when the model is not served by this installation. */
  routeFor(
    model: ModelName,
    task: { readonly mode: KeyMode; readonly demo: boolean },
  ): readonly Provider[];
  /** The provider that holds an operation; undefined when it is no longer configured. */
  get(name: string): Provider | undefined;
  /** Models that live keys can use. */
  servedModels(): readonly ModelName[];
  unserved(): readonly ModelName[];
  close(): Promise<void>;
};

export function createRegistry(options: RegistryOptions): Registry {
  const { preview, testPreview } = options;
  const builtIn = [preview, testPreview].map((provider) => [provider.name, provider] as const);
  const known = new Map([...builtIn, ...Object.entries(options.providers)]);
  assertNames(options, known);

  const onlyPreview = Object.keys(options.providers).length === 0;
  const liveRoute = (model: ModelName): readonly Provider[] => {
    const names = options.routes[model] ?? (onlyPreview ? [preview.name] : []);
    return names.map((name) => known.get(name)!);
  };
  const live = new Map(modelNames.map((model) => [model, liveRoute(model)]));
  const served = modelNames.filter((model) => live.get(model)!.length > 0);

  return {
    routeFor: (model, { mode, demo }) =>
      mode === 'test' ? [testPreview] : demo ? [preview] : (live.get(model) ?? []),
    get: (name) => known.get(name),
    servedModels: () => served,
    unserved: () => modelNames.filter((model) => !served.includes(model)),
    close: async () => {
      await Promise.all([...known.values()].map((provider) => provider.close?.()));
    },
  };
}

/** Operations are stored under the provider's name, so a name must mean one provider for ever. */
function assertNames(options: RegistryOptions, known: ReadonlyMap<string, Provider>): void {
  const problems: string[] = [];
  if (options.preview.name === options.testPreview.name) {
    problems.push(`both previews are called ${options.preview.name}`);
  }
  for (const [name, provider] of Object.entries(options.providers)) {
    if (provider.name !== name) problems.push(`provider ${name} calls itself ${provider.name}`);
    if ([options.preview.name, options.testPreview.name].includes(name)) {
      problems.push(`the name ${name} is the preview's`);
    }
  }
  for (const [model, names] of Object.entries(options.routes)) {
    for (const name of names) {
      if (!known.has(name)) problems.push(`the route of ${model} names ${name}, no such provider`);
    }
    if (new Set(names).size < names.length) problems.push(`the route of ${model} repeats a name`);
  }
  if (problems.length > 0) throw new Error(`providers: ${problems.join('; ')}`);
}
