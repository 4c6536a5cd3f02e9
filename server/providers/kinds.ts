/**
 * The kinds of providers in the configuration file, and how a provider is created from its
 * settings. A provider with several credentials is created once per credential.
 */
import assert from 'node:assert/strict';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { ComfyUiSettings } from './comfyui/settings.ts';
import { DeclaredSettings } from './declared/settings.ts';
import { FalSettings, falBaseUrl } from './fal/settings.ts';
import { type Boxes, createTunnelProvider, isTunnelUrl } from './fleet/tunnel-provider.ts';
import { ModelArkSettings } from './modelark/settings.ts';
import { OpenAiVideosSettings } from './openai-videos/settings.ts';
import type { Provider } from './provider.ts';
import type { ProviderLimits } from './registry.ts';
import { ReplicateSettings, replicateBaseUrl } from './replicate/settings.ts';
import {
  type Credential,
  type DefinedSettings,
  type ReadCredential,
  unsupported,
} from './settings.ts';
import type { MaterialOptions } from './toolkit/materials.ts';
import { optionsIn, unsupportedOption } from './toolkit/options.ts';
import type { OpenSocket } from './toolkit/upstream.ts';

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
  /** Required for base URLs with `tunnel:`. */
  readonly boxes?: Boxes;
  readonly openSocket?: OpenSocket;
};

export async function createProviders(
  name: string,
  settings: ProviderSettings,
  deps: Omit<AdapterContext, 'name' | 'apiKey'>,
): Promise<Provider[]> {
  const createWithKey = async (apiKey: () => string): Promise<Provider> =>
    withSettings(await createReached(settings, { ...deps, name, apiKey }), settings);
  const credentials = credentialsOf(settings);
  if (credentials.length === 0) return [await createWithKey(() => '')];
  return await Promise.all(
    credentials.map(async (credential) => ({
      ...(await createWithKey(deps.read(credential))),
      credential: credential.env,
    })),
  );
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
  const isPlainComfyUi = settings.kind === 'comfyui' && !isTunnelUrl(settings.baseUrl);
  const defaultConcurrency = isPlainComfyUi ? comfyUiConcurrency : undefined;
  const { concurrency = defaultConcurrency, startsPerMinute, costs } = settings;
  return {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(startsPerMinute === undefined ? {} : { startsPerMinute }),
    ...(costs === undefined ? {} : { costs }),
  };
}

export function upstreamUrl(settings: ProviderSettings): string {
  if (settings.baseUrl !== undefined) return settings.baseUrl;
  return settings.kind === 'fal' ? falBaseUrl : replicateBaseUrl;
}

/** The environment variables that the settings name, for API keys and callback secrets. */
export const requiredEnvVars = (settings: ProviderSettings): readonly string[] => {
  const secret = 'webhookSecret' in settings ? settings.webhookSecret : undefined;
  return [...credentialsOf(settings), ...(secret ? [secret] : [])].map(({ env }) => env);
};

/** An adapter whose upstream is at its base URL, or on a GPU box. */
async function createReached(
  settings: ProviderSettings,
  context: AdapterContext,
): Promise<Provider> {
  const { kind, baseUrl } = settings;
  const isTunnel = (kind === 'openai-videos' || kind === 'comfyui') && isTunnelUrl(baseUrl);
  if (!isTunnel) return await createAdapter(settings, context);
  const { name, boxes } = context;
  assert(boxes, 'GPU boxes');
  const create = (engineUrl: string, openSocket: OpenSocket) =>
    createAdapter({ ...settings, baseUrl: engineUrl }, { ...context, openSocket });
  return await createTunnelProvider({ name, kind, baseUrl: baseUrl!, boxes, create });
}

/** Loads the modules of configured kinds only. */
async function createAdapter(
  settings: ProviderSettings,
  context: AdapterContext,
): Promise<Provider> {
  switch (settings.kind) {
    case 'modelark': {
      const { createModelArk } = await import('./modelark/modelark.ts');
      return createModelArk({ ...definedOnly(settings), ...context });
    }
    case 'openai-videos': {
      const { createOpenAiVideos } = await import('./openai-videos/openai-videos.ts');
      return createOpenAiVideos({ ...definedOnly(settings), ...context });
    }
    case 'comfyui': {
      const { createComfyUi } = await import('./comfyui/comfyui.ts');
      return createComfyUi({ ...definedOnly(settings), ...context });
    }
    case 'declared': {
      const { createDeclared } = await import('./declared/declared.ts');
      return createDeclared({ ...definedOnly(settings), ...context });
    }
    case 'replicate': {
      const { createReplicate } = await import('./replicate/replicate.ts');
      return createReplicate({ ...definedOnly(settings), ...context });
    }
    case 'fal': {
      const { createFal } = await import('./fal/fal.ts');
      return createFal({ ...definedOnly(settings), ...context });
    }
  }
}

function definedOnly<Settings extends object>(settings: Settings) {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as DefinedSettings<Settings>;
}

/** Adds what applies to every kind: the configured models and the restrictions of `supports`. */
function withSettings(provider: Provider, settings: ProviderSettings): Provider {
  const supportsOf = (model: ModelName) =>
    ('byModel' in settings && settings.byModel?.[model]?.supports) || settings.supports || {};
  const named = 'workflows' in settings ? settings.workflows : settings.models;
  const models = Object.keys(named);
  // A workflow can be in a file of its own, so ComfyUI knows its places itself.
  const options = settings.kind === 'comfyui' ? null : optionsIn(settings);
  const unsupportedReason = (generation: Generation): string | null =>
    (options && unsupportedOption(generation, options)) ??
    unsupported(supportsOf(generation.model), generation) ??
    provider.unsupportedReason?.(generation) ??
    null;
  return { ...provider, models, unsupportedReason };
}
