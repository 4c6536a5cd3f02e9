/** Creates the providers of the configuration file and the preview, with their routes. */
import { join } from 'node:path';
import type { Config } from './config.ts';
import { type ConfigFile, credential } from './config-file.ts';
import type { Egress } from './egress/egress.ts';
import type { Log } from './log.ts';
import { createProviders, limitsOf } from './providers/kinds.ts';
import { createPreviews } from './providers/preview/preview.ts';
import type { Provider } from './providers/provider.ts';
import { withoutPublicUrl } from './providers/reachable-copies.ts';
import { createRegistry, type ProviderLimits } from './providers/registry.ts';
import type { FetchMaterial } from './providers/toolkit/materials.ts';

export type ProviderDeps = {
  readonly config: Config;
  readonly file: ConfigFile;
  readonly log: Log;
  /** Set by tests; otherwise providers come from the configuration file. */
  readonly providers?: Readonly<Record<string, Provider | readonly Provider[]>>;
  readonly limits?: Readonly<Record<string, ProviderLimits>>;
  /** Another program instead of the built-in renderer, for tests. */
  readonly renderer?: string;
};

export async function createProviderRegistry(deps: ProviderDeps, egress: Egress) {
  const { config, file, log } = deps;
  const fetchMaterial: FetchMaterial = async ({ url, into, bytesMax, signal }) => {
    const limits = { into, bytesMax, deadlineMs: 60_000, signal };
    const result = await egress.download({ url, kind: 'material', ...limits });
    return { saved: result.outcome === 'saved' };
  };
  const { preview, testPreview, runSelfTest } = await createPreviews({
    folder: join(config.home, 'previews'),
    slots: config.previewSlots,
    materialBytesMax: config.materialBytesMax,
    log,
    ...(deps.renderer === undefined ? {} : { renderer: deps.renderer }),
    fetchMaterial,
  });
  const configured: Record<string, Provider | readonly Provider[]> = { ...deps.providers };
  const limits: Record<string, ProviderLimits> = { ...deps.limits };
  for (const [name, settings] of Object.entries(file.providers ?? {})) {
    // The sweep deletes files that a crashed process leaves here.
    const tempFolder = join(config.home, 'downloads');
    configured[name] = await createProviders(name, settings, {
      read: credential,
      fetchMaterial,
      materialBytesMax: config.materialBytesMax,
      tempFolder,
    });
    limits[name] = limitsOf(settings);
  }
  const routes = file.routes ?? {};
  const providers =
    config.publicUrl === null
      ? Object.fromEntries(
          Object.entries(configured).map(([name, given]) => [
            name,
            [given].flat().map(withoutPublicUrl),
          ]),
        )
      : configured;
  const registry = createRegistry({ providers, limits, routes, preview, testPreview });
  return { registry, runSelfTest };
}
