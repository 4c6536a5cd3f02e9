/**
 * The kinds of providers in the configuration file, and how a provider is created from its
 * settings. A provider with several credentials is created once per credential.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { createComfyUi } from './comfyui/comfyui.ts';
import { ComfyUiSettings } from './comfyui/settings.ts';
import { createDeclared } from './declared/declared.ts';
import { DeclaredSettings } from './declared/settings.ts';
import { createFal } from './fal/fal.ts';
import { FalSettings } from './fal/settings.ts';
import { createModelArk } from './modelark/modelark.ts';
import { ModelArkSettings } from './modelark/settings.ts';
import { createOpenAiVideos } from './openai-videos/openai-videos.ts';
import { OpenAiVideosSettings } from './openai-videos/settings.ts';
import type { Provider } from './provider.ts';
import type { ProviderLimits } from './registry.ts';
import { createReplicate } from './replicate/replicate.ts';
import { ReplicateSettings } from './replicate/settings.ts';
import {
  type Credential,
  type DefinedSettings,
  type ReadCredential,
  unsupported,
} from './settings.ts';
import type { MaterialOptions } from './toolkit/materials.ts';

export const ProviderSettings = z.discriminatedUnion('kind', [
  ModelArkSettings,
  OpenAiVideosSettings,
  ComfyUiSettings,
  DeclaredSettings,
  ReplicateSettings,
  FalSettings,
]);
export type ProviderSettings = z.infer<typeof ProviderSettings>;

/** What an adapter needs in addition to its settings. */
type AdapterContext = MaterialOptions & {
  readonly name: string;
  readonly apiKey: () => string;
  /** For further credentials, such as the secret of signed callbacks. */
  readonly read: ReadCredential;
};

export function createProviders(
  name: string,
  settings: ProviderSettings,
  deps: Omit<AdapterContext, 'name' | 'apiKey'>,
): Provider[] {
  const createWithKey = (apiKey: () => string): Provider =>
    withSettings(createAdapter(settings, { ...deps, name, apiKey }), settings);
  const credentials = credentialsOf(settings);
  if (credentials.length === 0) return [createWithKey(() => '')];
  return credentials.map((credential) => ({
    ...createWithKey(deps.read(credential)),
    credential: credential.env,
  }));
}

/** The first credential starts new tasks. Empty for a self-hosted server without authentication. */
const credentialsOf = (settings: ProviderSettings): readonly Credential[] =>
  [settings.apiKey ?? []].flat();

/**
 * ComfyUI runs one prompt at a time and keeps the others in memory. One waiting prompt keeps the
 * GPU busy; further tasks wait in our queue, which survives a restart.
 */
const comfyUiConcurrency = 2;

/** The configured limits, or the default of the kind. */
export function limitsOf(settings: ProviderSettings): ProviderLimits {
  const defaultConcurrency = settings.kind === 'comfyui' ? comfyUiConcurrency : undefined;
  const { concurrency = defaultConcurrency, startsPerMinute } = settings;
  return {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(startsPerMinute === undefined ? {} : { startsPerMinute }),
  };
}

/** The environment variables that the settings name, for API keys and callback secrets. */
export const requiredEnvVars = (settings: ProviderSettings): readonly string[] => {
  const secret = 'webhookSecret' in settings ? settings.webhookSecret : undefined;
  return [...credentialsOf(settings), ...(secret ? [secret] : [])].map(({ env }) => env);
};

function createAdapter(settings: ProviderSettings, context: AdapterContext): Provider {
  switch (settings.kind) {
    case 'modelark':
      return createModelArk({ ...definedOnly(settings), ...context });
    case 'openai-videos':
      return createOpenAiVideos({ ...definedOnly(settings), ...context });
    case 'comfyui':
      return createComfyUi({ ...definedOnly(settings), ...context });
    case 'declared':
      return createDeclared({ ...definedOnly(settings), ...context });
    case 'replicate':
      return createReplicate({ ...definedOnly(settings), ...context });
    case 'fal':
      return createFal({ ...definedOnly(settings), ...context });
  }
}

function definedOnly<Settings extends object>(settings: Settings) {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as DefinedSettings<Settings>;
}

/** Adds what applies to every kind: the configured models and the restrictions of `supports`. */
function withSettings(provider: Provider, settings: ProviderSettings): Provider {
  const { supports = {} } = settings;
  const named = 'workflows' in settings ? settings.workflows : settings.models;
  const models = modelNames.filter((model) => named[model] !== undefined);
  const unsupportedReason = (generation: Generation): string | null =>
    unsupported(supports, generation) ?? provider.unsupportedReason?.(generation) ?? null;
  return { ...provider, models, unsupportedReason };
}
