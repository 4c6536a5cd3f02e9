/**
 * Every kind of provider that the configuration file can name, and how one is made from its
 * settings. A provider with several credentials is made once for each.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { z } from 'zod';
import { createModelArk } from './modelark/modelark.ts';
import { ModelArkSettings } from './modelark/settings.ts';
import type { Provider } from './provider.ts';
import { type Credential, unsupported } from './settings.ts';

export const ProviderSettings = z.discriminatedUnion('kind', [ModelArkSettings]);
export type ProviderSettings = z.infer<typeof ProviderSettings>;

/** What an adapter needs beside its settings. */
export type AdapterContext = {
  readonly name: string;
  /** Asked for at every call, so that it stands in no object that could be logged. */
  readonly apiKey: () => string;
};

export function createProviders(
  name: string,
  settings: ProviderSettings,
  options: { readonly read: (credential: Credential) => () => string },
): Provider[] {
  return credentialsOf(settings).map((credential) => {
    const provider = createAdapter(settings, { name, apiKey: options.read(credential) });
    return { ...withSupports(provider, settings), credential: credential.env };
  });
}

/** The first is for new tasks. */
export const credentialsOf = ({ apiKey }: ProviderSettings): readonly Credential[] =>
  [apiKey].flat();

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
