/**
 * Puts the rooms together: one process of the service, from its settings to something that can be
 * started and stopped. The only place that knows which implementation stands behind each interface.
 */
import { join } from 'node:path';
import { keyPepper } from './accounts/api-key-format.ts';
import { deriveKey, loadSecret } from './accounts/installation-secret.ts';
import { openKeyCache } from './accounts/key-cache.ts';
import { sweepSessions } from './accounts/session.ts';
import { sweepSignInTroubles } from './accounts/sign-in-throttle.ts';
import { type Api, createApi } from './api/api.ts';
import { shownSettings } from './api/installation.ts';
import { createMetrics } from './api/metrics.ts';
import { createRoutes } from './api/routes.ts';
import type { Service } from './api/service.ts';
import { TaskReader } from './api/task-reader.ts';
import { createCatalogue } from './catalog/catalog.ts';
import { every, unixSeconds } from './clock.ts';
import type { Config } from './config.ts';
import { type ConfigFile, credential } from './config-file.ts';
import type { Database } from './database/database.ts';
import { followDatabaseClock } from './database/database-clock.ts';
import { parseNetworks } from './egress/address.ts';
import { createEgress, type Egress } from './egress/egress.ts';
import { createPlaces } from './egress/places.ts';
import { createAccept } from './lifecycle/accept.ts';
import { downloadsMax } from './lifecycle/collect.ts';
import type { Lifecycle, LifecycleParts } from './lifecycle/context.ts';
import { sweepResults } from './lifecycle/sweep.ts';
import { createTogether } from './lifecycle/together.ts';
import type { Log } from './log.ts';
import { createMaterials } from './materials/materials.ts';
import { createProviders, limitsOf } from './providers/kinds.ts';
import { createPreviews, type Previews } from './providers/preview/preview.ts';
import { looksMax } from './providers/preview/render-studio.ts';
import type { Provider } from './providers/provider.ts';
import { createRegistry, type ProviderLimits } from './providers/registry.ts';
import type { FetchMaterial } from './providers/toolkit/fetch-material.ts';
import { CreateLimiter } from './rate-limits/create-limiter.ts';
import { openStatusLimiter } from './rate-limits/status-window.ts';
import { sweepRateWindows } from './rate-limits/sweep-windows.ts';
import { openDiskStorage } from './storage/disk.ts';
import { withOwnUploads } from './storage/own-uploads.ts';
import { signAddress } from './storage/signed-address.ts';
import { createUploads, type Uploads } from './storage/uploads.ts';
import { forgetOld } from './tasks/idempotency.ts';
import { createStripeDesk } from './top-ups/stripe.ts';
import { defaultWorkerSettings, Worker, type WorkerSettings } from './worker/worker.ts';

const sweepMs = 60_000;
const sweepResultsMs = 3600_000;
/** The embedded engine has no autovacuum; without this, queue churn slows every claim down. */
const vacuumMs = 5 * 60_000;

export type Assembled = {
  readonly lifecycle: Lifecycle;
  readonly api: Api | null;
  readonly worker: Worker | null;
  /** Root of the key pepper and of signed addresses. */
  readonly secret: string;
  /** Whether this machine can make previews, and if not, why: by making a short one. */
  canRender: Previews['canRender'];
  close(): Promise<void>;
};

export type Parts = {
  readonly config: Config;
  readonly file: ConfigFile;
  readonly db: Database;
  readonly log: Log;
  /** Known for certain only once the port is. */
  readonly publicUrl: () => string;
  readonly adminToken: string;
  /** Tests bring their own; everyone else's come from the configuration file. */
  readonly providers?: Readonly<Record<string, Provider | readonly Provider[]>>;
  readonly limits?: Readonly<Record<string, ProviderLimits>>;
  /** Another program than the built-in renderer, for tests. */
  readonly renderer?: string;
};

export async function assemble(parts: Parts): Promise<Assembled> {
  const { config, file, db, log, publicUrl } = parts;
  const secret = await loadSecret(db, config.secret);
  const addressSecret = deriveKey(secret, 'result addresses').toString('base64url');
  const storage = await openDiskStorage(join(config.home, 'results'));
  const clock = await followDatabaseClock(db);
  const uploads = createUploads({
    storage,
    secret: addressSecret,
    publicUrl,
    nowSeconds: clock.seconds,
  });
  const guard = createEgress({ allowedNetworks: parseNetworks(config.allowedNetworks) });
  const egress = withOwnUploads(guard, uploads);
  const { registry: providers, canRender } = await gatherProviders(parts, egress);
  const rooms: LifecycleParts = {
    db,
    log,
    egress,
    providers,
    catalogue: createCatalogue({
      ...(file.prices ? { prices: file.prices } : {}),
    } as Parameters<typeof createCatalogue>[0]),
    storage,
    downloads: createPlaces(downloadsMax),
    addressOf: (task, key) =>
      signAddress({
        publicUrl: publicUrl(),
        secret: addressSecret,
        taskId: task.id,
        name: key.split('/').at(-1)!,
        expiresAt: task.expiresAt!,
      }),
    settings: {
      taskTimeoutSeconds: config.taskTimeoutSeconds,
      resultLifeSeconds: config.resultLifeSeconds,
      webhookGapsSeconds: config.webhookGapsSeconds,
      callbackBase: config.publicUrl === null ? null : `${config.publicUrl}/callbacks`,
      scratchFolder: join(config.home, 'downloads'),
    },
  };
  const lifecycle: Lifecycle = { ...rooms, together: createTogether(rooms) };
  const api =
    config.role === 'worker'
      ? null
      : await openApi(parts, lifecycle, { secret, addressSecret, uploads });
  const worker = config.role === 'api' ? null : new Worker(lifecycle, workerSettings(config));
  const upkeep = worker ? startUpkeep(lifecycle) : [];
  return {
    lifecycle,
    secret,
    canRender,
    api: api?.api ?? null,
    worker,
    async close() {
      // Side by side: each drains for 20 s at the most, and whoever stops us may wait for 30.
      await Promise.all([api?.close(), worker?.stop()]);
      for (const timer of [...upkeep, clock]) timer.stop();
      await providers.close();
      await egress.close();
    },
  };
}

/** Previews that are made, or wait for that, hold leases: they leave the rest its own. */
function workerSettings({ previewSlots }: Config): WorkerSettings {
  const { slots, ...settings } = defaultWorkerSettings;
  return { ...settings, slots: { ...slots, looks: slots.looks + looksMax(previewSlots) } };
}

async function openApi(
  { config, file, db, log, publicUrl, adminToken }: Parts,
  lifecycle: Lifecycle,
  { secret, addressSecret, uploads }: { secret: string; addressSecret: string; uploads: Uploads },
) {
  const tasks = new TaskReader(db);
  await tasks.listen(db);
  const keys = await openKeyCache(db, { pepper: keyPepper(secret) });
  const statusQueries = await openStatusLimiter(db, { limit: config.statusQueriesPerMinuteMax });
  const { egress } = lifecycle;
  const { materials: mode, materialBytesMax: sizes } = config;
  const materials = createMaterials({ egress, mode, sizes, log });
  const service: Service = {
    lifecycle,
    accept: createAccept(lifecycle),
    materials,
    uploads,
    materialBytesMax: sizes,
    tasks,
    keys,
    creates: new CreateLimiter({
      run: (work) => db.transaction(work),
      limit: config.createsPerMinuteMax,
    }),
    statusQueries,
    secret,
    addressSecret,
    adminToken,
    publicUrl,
    stripe: file.topUps?.stripe ? createStripeDesk(file.topUps.stripe, credential) : null,
    installation: {
      role: config.role,
      startedAt: unixSeconds(),
      resultsFolder: join(config.home, 'results'),
      settings: shownSettings(config),
    },
  };
  const metrics = createMetrics(lifecycle);
  const trustedProxies = parseNetworks(config.trustedProxies);
  const api = createApi(service, { routes: createRoutes({ metrics }), metrics, trustedProxies });
  const close = async () => {
    await api.close();
    materials.close();
    await keys.close();
    await statusQueries.close();
    await tasks.close();
  };
  return { api, close };
}

async function gatherProviders(parts: Parts, egress: Egress) {
  const { config, file, log } = parts;
  const fetchMaterial: FetchMaterial = async ({ url, into, bytesMax, signal }) => {
    const limits = { into, bytesMax, deadlineMs: 60_000, signal };
    const answer = await egress.download({ url, kind: 'material', ...limits });
    return { saved: answer.outcome === 'saved' };
  };
  const { preview, testPreview, canRender } = await createPreviews({
    folder: join(config.home, 'previews'),
    slots: config.previewSlots,
    materialBytesMax: config.materialBytesMax,
    log,
    ...(parts.renderer === undefined ? {} : { renderer: parts.renderer }),
    fetchMaterial,
  });
  const configured: Record<string, Provider | readonly Provider[]> = { ...parts.providers };
  const limits: Record<string, ProviderLimits> = { ...parts.limits };
  for (const [name, settings] of Object.entries(file.providers ?? {})) {
    // Swept with the downloads, should a process die with something in it.
    const scratchFolder = join(config.home, 'downloads');
    configured[name] = createProviders(name, settings, {
      read: credential,
      fetchMaterial,
      materialBytesMax: config.materialBytesMax,
      scratchFolder,
    });
    limits[name] = limitsOf(settings);
  }
  const routes = file.routes ?? {};
  const registry = createRegistry({ providers: configured, limits, routes, preview, testPreview });
  return { registry, canRender };
}

function startUpkeep(lifecycle: Lifecycle): { stop(): void }[] {
  const { db, log } = lifecycle;
  const guarded = (work: () => Promise<unknown>) => async () => {
    await work().catch((error) => log.warn({ error }, 'upkeep failed; it will be tried again'));
  };
  const sweep = guarded(async () => {
    await forgetOld(db);
    await db.transaction((tx) => sweepRateWindows(tx));
    await db.transaction(async (tx) => {
      await sweepSessions(tx);
      await sweepSignInTroubles(tx);
    });
  });
  const timers = [
    every(sweepMs, sweep),
    every(
      sweepResultsMs,
      guarded(() => sweepResults(lifecycle)),
    ),
  ];
  if (db.engine === 'embedded') {
    timers.push(
      every(
        vacuumMs,
        guarded(() => db.query('vacuum jobs, balances, tasks, create_windows')),
      ),
    );
  }
  return timers;
}
