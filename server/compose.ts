/**
 * Connects the modules to one process of the service that can be started and stopped. The only
 * place that knows the implementation behind each interface.
 */
import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { defaultCurrency } from '@vidgen/contract/costs.ts';
import { microsPerUnit } from '@vidgen/contract/price.ts';
import { deriveKey, loadSecret, storageOwner } from './accounts/installation-secret.ts';
import type { ApiDeps, OpenApi } from './api/compose-api.ts';
import { modelArkView } from './api/dialects/modelark/task-view.ts';
import { predictionView } from './api/dialects/replicate/prediction-view.ts';
import type { Api } from './api/http/api.ts';
import type { HostRules } from './api/http/request-origin.ts';
import type { MonitoringDeps } from './api/monitoring.ts';
import type { StoredModels } from './catalog/stored-models.ts';
import type { Config, Role } from './config/config.ts';
import { createSealer } from './crypto/seal.ts';
import type { Database } from './database/database.ts';
import { syncDatabaseClock } from './database/database-clock.ts';
import { createKeyedSemaphore } from './egress/keyed-semaphore.ts';
import { requireStorage } from './lifecycle/checks/require-storage.ts';
import { downloadsMax } from './lifecycle/collect.ts';
import { createLifecycle, type LifecycleContext } from './lifecycle/context.ts';
import type { MessageDeps } from './lifecycle/notices/send-messages.ts';
import { createMailer } from './messages/smtp.ts';
import { parseSender, parseSmtpUrl } from './messages/smtp-settings.ts';
import { startInterval } from './process/clock.ts';
import { StoreWatch, storeProbeMs } from './process/store-watch.ts';
import {
  announceProcess,
  createWorkerWatch,
  forgetProcesses,
  heartbeatMs,
  type ProcessAnnouncement,
  providerKey,
  releaseStorage,
} from './processes/processes.ts';
import type { ProviderConnections } from './providers/connected/connections.ts';
import type { Fleet } from './providers/fleet/fleet.ts';
import { createPosters } from './providers/posters/posters.ts';
import type { Previews } from './providers/preview/preview.ts';
import { rendersMax } from './providers/preview/preview-renderer.ts';
import type { Registry } from './providers/registry.ts';
import { downloadsOf, openFiles } from './start/compose-files.ts';
import { createProviderRegistry, type ProviderDeps } from './start/compose-providers.ts';
import { startMaintenance, startMessages } from './start/maintenance.ts';
import { openCredentials } from './start/open-credentials.ts';
import { isDiskFull, openStorage } from './storage/open-storage.ts';
import { signUrl } from './storage/signed-url.ts';
import type { OpenedStorage } from './storage/storage.ts';
import { recordCreditValue } from './tasks/credit-values.ts';
import type { Task } from './tasks/task.ts';
import { type ResultUrl, webhookPayload } from './tasks/view.ts';
import type { Traces } from './telemetry/traces.ts';
import type { Worker } from './worker/worker.ts';
import { defaultWorkerSettings, type WorkerSettings } from './worker/worker-settings.ts';

export type ComposedService = {
  readonly lifecycle: LifecycleContext;
  readonly connections: ProviderConnections;
  readonly fleet: Fleet;
  readonly api: Api | null;
  readonly worker: Worker | null;
  /** Health and metrics of a worker with VIDGEN_METRICS_PORT. */
  readonly monitoring: Server | null;
  /** Root of the API key pepper and of signed URLs. */
  readonly secret: string;
  readonly storeWatch: StoreWatch;
  /** Renders a short preview and reports whether this machine can, and if not, why. */
  runSelfTest: Previews['runSelfTest'];
  close(): Promise<void>;
};

export type ServiceDeps = ProviderDeps & {
  readonly db: Database;
  /** No other process uses the database. */
  readonly isOnlyProcess: boolean;
  /** A function, because the port is known only later. */
  readonly publicUrl: () => string;
  readonly adminToken: string;
  /** Called when the database or the storage has failed for too long for this process to go on. */
  readonly onStoreLost?: (name: string) => void;
};

export async function composeService(deps: ServiceDeps): Promise<ComposedService> {
  const { config, db, log, publicUrl } = deps;
  const secret = await loadSecret(db, config.secret);
  const urlSigningSecret = deriveKey(secret, 'result addresses').toString('base64url');
  const openedStorage = await openStorageOf(config, secret);
  const { storage } = openedStorage;
  const clock = await syncDatabaseClock(db);
  const files = openFiles(deps, { storage, urlSigningSecret, nowSeconds: clock.seconds });
  const { uploads, materials, lengths, guard, egress } = files;
  const registry = await createProviderRegistry(deps, { egress, ...providerKeys(secret) });
  const { catalog, providers, connections, fleet, runSelfTest } = registry;
  const announcement = await startAnnouncing(deps, { ...registry, openedStorage });
  const traces = await openTraces(deps);
  const sealingKey = deriveKey(secret, 'keys of content credentials');
  const signing = await openCredentials({ config, db, log, sealingKey });
  const lifecycle = createLifecycle({
    db,
    log,
    traces,
    egress,
    providers,
    catalog,
    storage,
    sources: files.sources,
    downloadSlots: createKeyedSemaphore(downloadsMax),
    ...taskFormats({ publicUrl, secret: urlSigningSecret }),
    endUserOf: endUserDigest(secret),
    posters: config.posters ? createPosters({ tempFolder: downloadsOf(config), log }) : null,
    credentials: signing.credentials,
    settings: await lifecycleSettings(deps),
  });
  const storeWatch = createStoreWatch(deps, openedStorage);
  const storeProblems = () => storeWatch.problems();
  const messages = messageDeps(deps, { secret, post: guard.post });
  const parts = {
    ...registry,
    lifecycle,
    secret,
    urlSigningSecret,
    uploads,
    materials,
    openedStorage,
    storeProblems,
    messages,
    signingKeys: signing.keys,
    processId: announcement.id,
  };
  const api = config.role === 'worker' ? null : await openApi({ ...deps, ...parts });
  const worker = config.role === 'api' ? null : await createWorker(deps, lifecycle);
  const monitoring = await openMonitoring(deps, { lifecycle, openedStorage, storeProblems });
  const sending = worker ? await startMessages(messages, lifecycle) : null;
  const maintenance = { config, uploads, canaries: deps.file.canaries };
  const maintenanceTimers = [
    startInterval(storeProbeMs, () => storeWatch.probe()),
    ...(worker ? startMaintenance(lifecycle, maintenance) : []),
  ];
  return {
    lifecycle,
    connections,
    fleet,
    secret,
    storeWatch,
    runSelfTest,
    api: api?.api ?? null,
    worker,
    monitoring,
    async close() {
      // In parallel: each drains for at most 20 s, and a supervisor may kill the process after 30
      // s. Stages still need the GPU boxes, and the API waits until their connections are closed.
      const stopped = Promise.resolve(worker?.stop()).finally(() => fleet.close());
      await Promise.all([api?.close(), stopped, sending?.stop(), signing.keys.close()]);
      await lifecycle.posters?.close();
      await lengths.close();
      for (const timer of [...maintenanceTimers, clock]) timer.stop();
      monitoring?.close();
      monitoring?.closeAllConnections();
      materials.close();
      await announcement.stop();
      await providers.close();
      await egress.close();
      openedStorage.close();
      await traces?.close();
    },
  };
}

/** The URLs of results, and the bodies of callbacks in the format of the API that made the task. */
function taskFormats({ publicUrl, secret }: { publicUrl: () => string; secret: string }) {
  const resultUrl: ResultUrl = (task, key) =>
    signUrl({
      publicUrl: publicUrl(),
      secret,
      taskId: task.id,
      name: key.split('/').at(-1)!,
      expiresAt: task.expiresAt!,
    });
  const callbackBody = (task: Task) => {
    if (task.dialect?.name === 'replicate') return predictionView(publicUrl(), task, resultUrl);
    return (task.dialect ? modelArkView : webhookPayload)(task, resultUrl);
  };
  return { resultUrl, callbackBody };
}

function messageDeps(
  { config, db, log, publicUrl }: ServiceDeps,
  { secret, post }: { readonly secret: string; readonly post: MessageDeps['post'] },
): MessageDeps {
  const { smtpUrl, mailFrom, noticeWebhookUrl, webhookRetryDelaysSeconds, openid } = config;
  const sender = mailFrom === null ? null : parseSender(mailFrom);
  return {
    db,
    log,
    post,
    publicUrl,
    noticeWebhookUrl,
    webhookRetryDelaysSeconds,
    openid,
    mailer: smtpUrl && sender ? createMailer(parseSmtpUrl(smtpUrl), sender) : null,
    sealer: createSealer(deriveKey(secret, 'contents of the outbox')),
  };
}

/** For the API keys of providers that are stored in the database, and digests of worker tokens. */
const providerKeys = (secret: string) => ({
  key: deriveKey(secret, 'credentials of providers'),
  workerKey: deriveKey(secret, 'tokens of GPU boxes'),
});

const lifecycleSettings = async ({
  config,
  db,
  file,
}: ServiceDeps): Promise<LifecycleContext['settings']> => ({
  taskTimeoutSeconds: config.taskTimeoutSeconds,
  resultTtlSeconds: config.resultTtlSeconds,
  webhookRetryDelaysSeconds: config.webhookRetryDelaysSeconds,
  providerCallbackBaseUrl: config.publicUrl === null ? null : `${config.publicUrl}/callbacks`,
  tempFolder: downloadsOf(config),
  ...(await openCreditValue(db, file)),
});

/** Also records the value, for what is charged from now on. */
async function openCreditValue(db: Database, { creditValue }: ServiceDeps['file']) {
  const creditMicros = creditValue ? Math.round(creditValue.amount * microsPerUnit) : null;
  if (creditMicros !== null) await recordCreditValue(db, creditMicros);
  return { currency: creditValue?.currency ?? defaultCurrency, creditMicros };
}

/**
 * With a database of our own on a full disk, only the disk says why the database does not respond.
 */
function createStoreWatch(
  { config, db, log, onStoreLost }: ServiceDeps,
  openedStorage: OpenedStorage,
): StoreWatch {
  const probeDatabase = async () => {
    try {
      await db.query('select 1');
    } catch (error) {
      if (config.databaseUrl !== null || !(await isDiskFull(config.home))) throw error;
    }
  };
  return new StoreWatch({
    log,
    probes: [
      { name: 'database', problem: 'not reachable', run: probeDatabase },
      { name: 'storage', problem: 'not writable', run: () => openedStorage.probe() },
    ],
    onLost: (name) => onStoreLost?.(name),
  });
}

function endUserDigest(secret: string): LifecycleContext['endUserOf'] {
  const key = createSecretKey(deriveKey(secret, 'end users at providers'));
  return (accountId) => createHmac('sha256', key).update(accountId).digest('hex');
}

/** A worker process never loads the modules of the API, nor an API process those of the worker. */
const importApi = () => import('./api/compose-api.ts');
const importWorker = () => import('./worker/worker.ts');

/** Loads what `composeService` will import for the role, while the database starts. */
export async function loadModules(role: Role): Promise<void> {
  await Promise.all([role !== 'worker' && importApi(), role !== 'api' && importWorker()]);
}

async function openApi(deps: ApiDeps): Promise<OpenApi> {
  const { composeApi } = await importApi();
  return await composeApi(deps);
}

async function createWorker(deps: ServiceDeps, lifecycle: LifecycleContext): Promise<Worker> {
  const { Worker } = await importWorker();
  return new Worker(lifecycle, workerSettings(deps));
}

const openStorageOf = (config: Config, secret: string): Promise<OpenedStorage> =>
  openStorage({
    url: config.storageUrl,
    cdnUrl: config.storageCdnUrl,
    folder: join(config.home, 'results'),
    credentials: config.aws,
    owner: storageOwner(secret),
  });

async function openTraces({ config, log }: ServiceDeps): Promise<Traces | undefined> {
  if (config.traces === null) return undefined;
  const { createTraces } = await import('./telemetry/traces.ts');
  return createTraces({ ...config.traces, log });
}

async function openMonitoring(
  { config, adminToken, publicUrl }: ServiceDeps,
  parts: Omit<MonitoringDeps, 'adminToken' | 'metricsToken' | keyof HostRules>,
): Promise<Server | null> {
  if (config.role !== 'worker' || config.metricsPort === null) return null;
  const { createMonitoring } = await import('./api/monitoring.ts');
  const { allowedHosts, metricsToken } = config;
  return createMonitoring({ ...parts, adminToken, metricsToken, publicUrl, allowedHosts });
}

/**
 * Announces this process to the others, again with every heartbeat, and when its providers have
 * changed. Throws `ConfigError` if they have another storage, which only a database outside the
 * home directory makes possible.
 */
async function startAnnouncing(
  { config, db, log, isOnlyProcess }: ServiceDeps,
  {
    providers,
    connections,
    storedModels,
    openedStorage,
  }: {
    providers: Registry;
    connections: ProviderConnections;
    storedModels: StoredModels;
    openedStorage: OpenedStorage;
  },
) {
  const id = randomUUID();
  const storageId = await openedStorage.readMark();
  const announce = async () => {
    const announcement: ProcessAnnouncement = {
      id,
      role: config.role,
      providers: providers.list().map(({ name, credential: used }) => providerKey(name, used)),
      routes: Object.fromEntries(
        providers.modelNames().map((model) => [model, providers.routeNames(model)]),
      ),
      storageId,
      health: providers.health(),
    };
    await announceProcess(db, announcement);
  };
  // Otherwise tasks would wait for providers that only the stopped process knew.
  if (isOnlyProcess) await forgetProcesses(db);
  await announce();
  if (config.databaseUrl !== null) {
    await requireStorage(db, { ...openedStorage, storageId }).catch(async (error) => {
      await releaseStorage(db, id);
      throw error;
    });
  }
  const watchWorkers = config.role === 'api' ? createWorkerWatch(db, log) : async () => {};
  const timer = startInterval(heartbeatMs, () =>
    announce()
      .then(watchWorkers)
      .catch((error) => log.warn({ error }, 'heartbeat failed')),
  );
  const stop = async () => {
    timer.stop();
    await Promise.all([connections.close(), storedModels.close()]);
    await releaseStorage(db, id).catch((error) => log.warn({ error }, 'storage not released'));
  };
  await Promise.all([connections.start(announce), storedModels.start()]);
  return { id, stop };
}

/**
 * Previews that render or wait for a slot hold leases, so the worker needs more than its usual
 * number.
 */
function workerSettings({ config, isOnlyProcess }: ServiceDeps): WorkerSettings {
  const { slots, ...settings } = defaultWorkerSettings;
  const polls = slots.polls + rendersMax(config.previewSlots);
  return { ...settings, slots: { ...slots, polls }, isOnlyProcess };
}
