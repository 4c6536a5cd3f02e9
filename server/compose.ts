/**
 * Connects the modules to one process of the service that can be started and stopped. The only
 * place that knows the implementation behind each interface.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';
import { keyPepper } from './accounts/api-key-format.ts';
import { deriveKey, loadSecret } from './accounts/installation-secret.ts';
import { openKeyCache } from './accounts/key-cache.ts';
import { sweepSessions } from './accounts/session.ts';
import { deleteOldSignInFailures } from './accounts/sign-in-throttle.ts';
import { describeProcess } from './api/admin/process-info.ts';
import { type Api, createApi } from './api/http/api.ts';
import type { ApiServices } from './api/http/handler.ts';
import { createMetrics } from './api/http/metrics.ts';
import { TaskReader } from './api/http/task-reader.ts';
import { createRoutes } from './api/routes.ts';
import { createCatalog } from './catalog/catalog.ts';
import { startInterval } from './clock.ts';
import type { Config } from './config.ts';
import { type ConfigFile, credential } from './config-file.ts';
import type { Database } from './database/database.ts';
import { syncDatabaseClock } from './database/database-clock.ts';
import { createEgress, type Egress } from './egress/egress.ts';
import { parseNetworks } from './egress/ip-address.ts';
import { createKeyedSemaphore } from './egress/keyed-semaphore.ts';
import { createAcceptTask } from './lifecycle/accept.ts';
import { downloadsMax } from './lifecycle/collect.ts';
import { createLifecycle, type LifecycleContext } from './lifecycle/context.ts';
import { requireStorage } from './lifecycle/require-storage.ts';
import { sweepResults } from './lifecycle/sweep.ts';
import type { Log } from './log.ts';
import { createMaterials, type Materials } from './materials/materials.ts';
import {
  announceProcess,
  heartbeatMs,
  type ProcessAnnouncement,
  providerKey,
  releaseStorage,
} from './processes/processes.ts';
import { createProviders, limitsOf } from './providers/kinds.ts';
import { createPreviews, type Previews } from './providers/preview/preview.ts';
import { rendersMax } from './providers/preview/preview-renderer.ts';
import type { Provider } from './providers/provider.ts';
import { createRegistry, type ProviderLimits, type Registry } from './providers/registry.ts';
import type { FetchMaterial } from './providers/toolkit/materials.ts';
import { CreateLimiter } from './rate-limits/create-limiter.ts';
import { openStatusLimiter } from './rate-limits/status-window.ts';
import { sweepRateWindows } from './rate-limits/sweep-windows.ts';
import { openDiskStorage } from './storage/disk.ts';
import { withLocalUploads } from './storage/local-uploads.ts';
import { signUrl } from './storage/signed-url.ts';
import { readStorageMark } from './storage/storage-mark.ts';
import { createUploads, type Uploads } from './storage/uploads.ts';
import { deleteExpiredKeys } from './tasks/idempotency.ts';
import { foldTaskCounts } from './tasks/store.ts';
import { addUsageDay } from './tasks/usage-days.ts';
import { deleteOldReturns } from './top-ups/held-returns.ts';
import { createStripeClient } from './top-ups/stripe.ts';
import { foldDeliveryCounts } from './webhooks/delivery.ts';
import { Worker } from './worker/worker.ts';
import { defaultWorkerSettings, type WorkerSettings } from './worker/worker-settings.ts';

const sweepMs = 60_000;
const sweepResultsMs = 3600_000;

export type ComposedService = {
  readonly lifecycle: LifecycleContext;
  readonly api: Api | null;
  readonly worker: Worker | null;
  /** Root of the API key pepper and of signed URLs. */
  readonly secret: string;
  /** Renders a short preview and reports whether this machine can, and if not, why. */
  runSelfTest: Previews['runSelfTest'];
  close(): Promise<void>;
};

export type ServiceDeps = {
  readonly config: Config;
  readonly file: ConfigFile;
  readonly db: Database;
  /** No other process uses the database. */
  readonly isOnlyProcess: boolean;
  readonly log: Log;
  /** A function, because the port is known only later. */
  readonly publicUrl: () => string;
  readonly adminToken: string;
  /** Set by tests; otherwise providers come from the configuration file. */
  readonly providers?: Readonly<Record<string, Provider | readonly Provider[]>>;
  readonly limits?: Readonly<Record<string, ProviderLimits>>;
  /** Another program instead of the built-in renderer, for tests. */
  readonly renderer?: string;
};

export async function composeService(deps: ServiceDeps): Promise<ComposedService> {
  const { config, file, db, log, publicUrl } = deps;
  const secret = await loadSecret(db, config.secret);
  const urlSigningSecret = deriveKey(secret, 'result addresses').toString('base64url');
  const storage = await openDiskStorage(resultsFolder(config));
  const clock = await syncDatabaseClock(db);
  const uploads = createUploads({
    storage,
    secret: urlSigningSecret,
    publicUrl,
    nowSeconds: clock.seconds,
  });
  const guard = createEgress({ allowedNetworks: parseNetworks(config.allowedNetworks) });
  const egress = withLocalUploads(guard, uploads);
  const { registry: providers, runSelfTest } = await createProviderRegistry(deps, egress);
  const { materials: unreachablePolicy, materialBytesMax: sizes } = config;
  const materials = createMaterials({ egress, unreachablePolicy, sizes, log });
  const announcement = await startAnnouncing(deps, providers);
  const lifecycle = createLifecycle({
    db,
    log,
    egress,
    providers,
    catalog: createCatalog({
      ...(file.prices ? { prices: file.prices } : {}),
    } as Parameters<typeof createCatalog>[0]),
    storage,
    sources: {
      bytesMax: sizes.video,
      measureVideo: materials.measureVideo,
      find: uploads.findCopy,
      save: uploads.saveCopy,
    },
    downloadSlots: createKeyedSemaphore(downloadsMax),
    resultUrl: (task, key) =>
      signUrl({
        publicUrl: publicUrl(),
        secret: urlSigningSecret,
        taskId: task.id,
        name: key.split('/').at(-1)!,
        expiresAt: task.expiresAt!,
      }),
    settings: {
      taskTimeoutSeconds: config.taskTimeoutSeconds,
      resultTtlSeconds: config.resultTtlSeconds,
      webhookRetryDelaysSeconds: config.webhookRetryDelaysSeconds,
      providerCallbackBaseUrl: config.publicUrl === null ? null : `${config.publicUrl}/callbacks`,
      tempFolder: join(config.home, 'downloads'),
    },
  });
  const api =
    config.role === 'worker'
      ? null
      : await openApi(deps, lifecycle, { secret, urlSigningSecret, uploads, materials });
  const worker = config.role === 'api' ? null : new Worker(lifecycle, workerSettings(deps));
  const maintenanceTimers = worker ? startMaintenance(lifecycle) : [];
  return {
    lifecycle,
    secret,
    runSelfTest,
    api: api?.api ?? null,
    worker,
    async close() {
      // In parallel: each drains for at most 20 s, and a supervisor may kill the process after 30
      // s.
      await Promise.all([api?.close(), worker?.stop()]);
      for (const timer of [...maintenanceTimers, clock]) timer.stop();
      materials.close();
      await announcement.stop();
      await providers.close();
      await egress.close();
    },
  };
}

const resultsFolder = ({ home }: Config): string => join(home, 'results');

/**
 * Announces this process to the others, and again with every heartbeat. Throws `ConfigError` if
 * they have another storage, which only a database outside the home directory makes possible.
 */
async function startAnnouncing({ config, db, log }: ServiceDeps, providers: Registry) {
  const folder = resultsFolder(config);
  const announcement: ProcessAnnouncement = {
    id: randomUUID(),
    role: config.role,
    providers: providers.list().map(({ name, credential: used }) => providerKey(name, used)),
    routes: Object.fromEntries(modelNames.map((model) => [model, providers.routeNames(model)])),
    storageId: await readStorageMark(folder),
  };
  await announceProcess(db, announcement);
  const { id, storageId } = announcement;
  if (config.databaseUrl !== null) {
    await requireStorage(db, { storageId, folder }).catch(async (error) => {
      await releaseStorage(db, id);
      throw error;
    });
  }
  const timer = startInterval(heartbeatMs, () =>
    announceProcess(db, announcement).catch((error) => log.warn({ error }, 'heartbeat failed')),
  );
  const stop = async () => {
    timer.stop();
    await releaseStorage(db, id).catch((error) => log.warn({ error }, 'storage not released'));
  };
  return { stop };
}

/**
 * Previews that render or wait for a slot hold leases, so the worker needs more than its usual
 * number.
 */
function workerSettings({ config, isOnlyProcess }: ServiceDeps): WorkerSettings {
  const { slots, ...settings } = defaultWorkerSettings;
  const looks = slots.looks + rendersMax(config.previewSlots);
  return { ...settings, slots: { ...slots, looks }, isOnlyProcess };
}

async function openApi(
  { config, file, db, isOnlyProcess, publicUrl, adminToken }: ServiceDeps,
  lifecycle: LifecycleContext,
  {
    secret,
    urlSigningSecret,
    uploads,
    materials,
  }: { secret: string; urlSigningSecret: string; uploads: Uploads; materials: Materials },
) {
  const tasks = new TaskReader(db);
  await tasks.listen(db);
  const keys = await openKeyCache(db, { pepper: keyPepper(secret) });
  const limit = config.statusQueriesPerMinuteMax;
  const statusLimiter = await openStatusLimiter(db, { limit, isOnlyProcess });
  const services: ApiServices = {
    lifecycle,
    accept: createAcceptTask(lifecycle),
    materials,
    uploads,
    materialBytesMax: config.materialBytesMax,
    tasks,
    keys,
    createLimiter: new CreateLimiter({
      run: (work) => db.transaction(work),
      limit: config.createsPerMinuteMax,
    }),
    statusLimiter,
    accountLimits: {
      create: config.accountCreatesPerMinuteMax,
      status: config.accountQueriesPerMinuteMax,
    },
    secret,
    urlSigningSecret,
    adminToken,
    publicUrl,
    stripe: file.topUps?.stripe ? createStripeClient(file.topUps.stripe, credential) : null,
    processInfo: describeProcess(config),
  };
  const metrics = createMetrics(lifecycle);
  const trustedProxies = parseNetworks(config.trustedProxies);
  const { allowedHosts } = config;
  const routes = createRoutes({ metrics });
  const api = createApi(services, { routes, metrics, trustedProxies, allowedHosts });
  const close = async () => {
    await api.close();
    await keys.close();
    await statusLimiter.close();
    await tasks.close();
  };
  return { api, close };
}

async function createProviderRegistry(deps: ServiceDeps, egress: Egress) {
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
    configured[name] = createProviders(name, settings, {
      read: credential,
      fetchMaterial,
      materialBytesMax: config.materialBytesMax,
      tempFolder,
    });
    limits[name] = limitsOf(settings);
  }
  const routes = file.routes ?? {};
  const registry = createRegistry({ providers: configured, limits, routes, preview, testPreview });
  return { registry, runSelfTest };
}

function startMaintenance(lifecycle: LifecycleContext): { stop(): void }[] {
  const { db, log } = lifecycle;
  const logErrors = (work: () => Promise<unknown>) => async () => {
    await work().catch((error) => log.warn({ error }, 'maintenance failed, retrying'));
  };
  const sweep = logErrors(async () => {
    await deleteExpiredKeys(db);
    await deleteOldReturns(db);
    await foldTaskCounts(db);
    await foldDeliveryCounts(db);
    await db.transaction((tx) => addUsageDay(tx));
    await db.transaction((tx) => sweepRateWindows(tx));
    await db.transaction(async (tx) => {
      await sweepSessions(tx);
      await deleteOldSignInFailures(tx);
    });
  });
  return [
    startInterval(sweepMs, sweep),
    startInterval(
      sweepResultsMs,
      logErrors(() => sweepResults(lifecycle)),
    ),
  ];
}
