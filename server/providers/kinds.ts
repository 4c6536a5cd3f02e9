/**
 * Every kind of provider that the configuration file can name, and how one is made from its
 * settings. A provider with several credentials is made once for each.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { z } from 'zod';
import { createModelArk } from './modelark/modelark.ts';
import { ModelArkSettings } from './modelark/settings.ts';
import type { Provider } from './provider.ts';
import type { FetchMaterial } from './render-materials.ts';
import { type Credential, unsupported } from './settings.ts';

export const ProviderSettings = z.discriminatedUnion('kind', [ModelArkSettings]);
export type ProviderSettings = z.infer<typeof ProviderSettings>;

/** What an adapter needs beside its settings. */
export type AdapterContext = {
  readonly name: string;
  /** Asked for at every call, so that it stands in no object that could be logged. */
  readonly apiKey: () => string;
  /**
   * Brings a material to this machine, through the guard: a generator in our own network must not
   * be made to fetch what a customer names.
   */
  readonly fetchMaterial: FetchMaterial;
  /** For files on their way; emptied by whoever put them there. */
  readonly scratchFolder: string;
};

export type ProviderParts = Pick<AdapterContext, 'fetchMaterial' | 'scratchFolder'> & {
  readonly read: (credential: Credential) => () => string;
};

export function createProviders(
  name: string,
  settings: ProviderSettings,
  { read, ...parts }: ProviderParts,
): Provider[] {
  const make = (apiKey: () => string): Provider =>
    withSupports(createAdapter(settings, { ...parts, name, apiKey }), settings);
  const credentials = credentialsOf(settings);
  if (credentials.length === 0) return [make(() => '')];
  return credentials.map((credential) => ({
    ...make(read(credential)),
    credential: credential.env,
  }));
}

/** The first is for new tasks; none for a generator of one's own that asks for none. */
export const credentialsOf = (settings: ProviderSettings): readonly Credential[] =>
  [settings.apiKey ?? []].flat();

function createAdapter(settings: ProviderSettings, context: AdapterContext): Provider {
  switch (settings.kind) {
    case 'modelark':
      return createModelArk({ ...given(settings), ...context });
  }
}

/** Without what was left out, which the adapters' own defaults then decide. */
function given<Settings extends object>(settings: Settings) {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as {
    [Name in keyof Settings]: Exclude<Settings[Name], undefined>;
  };
}

function withSupports(provider: Provider, { supports = {} }: ProviderSettings): Provider {
  const cannot = (generation: Generation): string | null =>
    unsupported(supports, generation) ?? provider.cannot?.(generation) ?? null;
  return { ...provider, cannot };
}
