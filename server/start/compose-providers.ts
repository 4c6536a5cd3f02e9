/**
 * Opens the catalog of models, and creates the providers of the configuration file, those connected
 * in the dashboard and the preview, with their routes.
 */
import { join } from 'node:path';
import { defaultCurrency } from '@vidgen/contract/costs.ts';
import { presets } from '../../presets/all.ts';
import { type Catalog, createCatalog } from '../catalog/catalog.ts';
import { StoredModels } from '../catalog/stored-models.ts';
import type { Config } from '../config/config.ts';
import { type ConfigFile, credential } from '../config/config-file.ts';
import type { Database } from '../database/database.ts';
import type { Egress } from '../egress/egress.ts';
import { modelRouteProblems } from '../lifecycle/checks/model-routes.ts';
import {
  type ConnectionsOptions,
  ProviderConnections,
} from '../providers/connected/connections.ts';
import { Fleet } from '../providers/fleet/fleet.ts';
import { createProviders, limitsOf } from '../providers/kinds.ts';
import { createPreviews, previewNames } from '../providers/preview/preview.ts';
import type { Provider } from '../providers/provider.ts';
import { withoutPublicUrl } from '../providers/reachable-copies.ts';
import { createRegistry, type ProviderLimits, type Registry } from '../providers/registry.ts';
import type { FetchMaterial } from '../providers/toolkit/materials.ts';
import { countTasksAtBoxes } from '../tasks/box-figures.ts';
import { findUsedCredentials } from '../tasks/find-attempts.ts';
import type { Log } from '../telemetry/log.ts';
import { downloadsOf } from './compose-files.ts';

/**
 * Previews that are rendered or wait for a renderer, over all processes. More would only be polled
 * in vain, every few seconds each.
 */
const previewsMax = 256;
const previewLimits = Object.fromEntries(
  previewNames.map((name) => [name, { concurrency: previewsMax }]),
);

export type ProviderDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly file: ConfigFile;
  readonly log: Log;
  /** Set by tests; otherwise providers come from the configuration file. */
  readonly providers?: Readonly<Record<string, Provider | readonly Provider[]>>;
  readonly limits?: Readonly<Record<string, ProviderLimits>>;
  /** Another program instead of the built-in renderer, for tests. */
  readonly renderer?: string;
};

export async function createProviderRegistry(
  deps: ProviderDeps,
  {
    egress,
    key,
    workerKey,
  }: { readonly egress: Egress; readonly key: Buffer; readonly workerKey: Buffer },
) {
  const { config, file, log, db } = deps;
  const catalog = createCatalog(file);
  const storedModels = new StoredModels({ db, log, catalog });
  await storedModels.refresh();
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
  // The sweep deletes files that a crashed process leaves in the folder.
  const tempFolder = downloadsOf(config);
  const { materialBytesMax } = config;
  const withPublicUrl = (provider: Provider) =>
    config.publicUrl === null ? withoutPublicUrl(provider) : provider;
  const fleet = new Fleet({ db, log, key: workerKey, host: config.host });
  await fleet.start();
  const boxes = {
    list: () => fleet.list(),
    open: (box: string) => fleet.open(box),
    countTasks: (provider: string) => countTasksAtBoxes(db, provider),
  };
  const create: ConnectionsOptions['create'] = async (name, settings, read) => {
    const adapter = { read, fetchMaterial, materialBytesMax, tempFolder, boxes };
    return (await createProviders(name, settings, adapter)).map(withPublicUrl);
  };
  const providers: Record<string, readonly Provider[]> = Object.fromEntries(
    Object.entries(deps.providers ?? {}).map(([name, given]) => [
      name,
      [given].flat().map(withPublicUrl),
    ]),
  );
  const limits: Record<string, ProviderLimits> = { ...previewLimits, ...deps.limits };
  for (const [name, settings] of Object.entries(file.providers ?? {})) {
    providers[name] = await create(name, settings, credential);
    limits[name] = limitsOf(settings);
  }
  const registry = createRegistry({
    modelNames: catalog.names,
    providers,
    limits,
    routes: file.routes ?? {},
    currency: file.creditValue?.currency ?? defaultCurrency,
    preview,
    testPreview,
  });
  const connections = new ProviderConnections({
    db,
    log,
    key,
    presets,
    registry,
    create,
    findUsed: findUsedCredentials,
  });
  await connections.refresh();
  warnOfModels({ catalog, providers: registry, log });
  return { catalog, storedModels, providers: registry, connections, fleet, runSelfTest };
}

/** What customers cannot have, although it is declared. */
function warnOfModels(deps: {
  readonly catalog: Catalog;
  readonly providers: Registry;
  readonly log: Log;
}): void {
  const unserved = deps.providers.unserved();
  if (unserved.length > 0) {
    const fix = `add them to \`routes\`, or stop offering them: models: { '${unserved[0]}': null }`;
    deps.log.warn({ models: unserved, fix }, 'models have no provider, so /readyz is 503');
  }
  for (const model of deps.catalog.list().filter(({ source }) => source !== 'contract')) {
    const problems = modelRouteProblems(model, deps.providers);
    if (problems.length === 0) continue;
    const fields = { model: model.name, problems };
    deps.log.warn(fields, 'model declares more than its providers make');
  }
}
