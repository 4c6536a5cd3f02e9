/** Connects the modules that serve requests. Loaded only by processes that do. */
import type { Finding } from '@vidgen/contract/admin-system.ts';
import { keyPepper } from '../accounts/keys/api-key-format.ts';
import { openKeyCache } from '../accounts/keys/key-cache.ts';
import type { Config } from '../config/config.ts';
import { type ConfigFile, credential } from '../config/config-file.ts';
import type { Database } from '../database/database.ts';
import { parseNetworks } from '../egress/ip-address.ts';
import { createAcceptTask } from '../lifecycle/accept.ts';
import { UndeliveredCreates } from '../lifecycle/create/undelivered-creates.ts';
import type { MessageDeps } from '../lifecycle/notices/send-messages.ts';
import { createOpenIdClient } from '../openid/openid-client.ts';
import { sleep } from '../process/clock.ts';
import type { Previews } from '../providers/preview/preview.ts';
import { CreateLimiter } from '../rate-limits/create-limiter.ts';
import { openStatusLimiter, StatusLimiter } from '../rate-limits/status-window.ts';
import type { OpenedStorage } from '../storage/storage.ts';
import { createStripeClient } from '../top-ups/stripe.ts';
import { verificationsPerHour } from './credentials/verify.ts';
import { dialectFormats } from './dialects/error-formats.ts';
import { openMaterialBody } from './files/material-body.ts';
import { type Api, createApi } from './http/api.ts';
import type { ApiServices } from './http/handler.ts';
import { createMetrics } from './http/metrics.ts';
import { TaskReader } from './http/task-reader.ts';
import { describeProcess } from './installation/process-info.ts';
import { createProviderFigures } from './providers/provider-figures.ts';
import { createRoutes } from './routes.ts';

/** What the process opened before, which the API serves as it is. */
type SharedServices =
  | 'adminToken'
  | 'connections'
  | 'fleet'
  | 'lifecycle'
  | 'materials'
  | 'processId'
  | 'publicUrl'
  | 'secret'
  | 'signingKeys'
  | 'storedModels'
  | 'storeProblems'
  | 'uploads'
  | 'urlSigningSecret';
export type ApiDeps = Pick<ApiServices, SharedServices> & {
  readonly config: Config;
  readonly file: ConfigFile;
  readonly db: Database;
  /** No other process uses the database. */
  readonly isOnlyProcess: boolean;
  readonly openedStorage: OpenedStorage;
  readonly messages: MessageDeps;
  readonly runSelfTest: Previews['runSelfTest'];
};

export type OpenApi = { readonly api: Api; close(): Promise<void> };

export async function composeApi(deps: ApiDeps): Promise<OpenApi> {
  const { config, file, db, isOnlyProcess, runSelfTest, ...shared } = deps;
  const { lifecycle, secret, openedStorage } = shared;
  const tasks = new TaskReader(db);
  await tasks.listen(db);
  const keys = await openKeyCache(db, { pepper: keyPepper(secret) });
  const limit = config.statusQueriesPerMinuteMax;
  const statusLimiter = await openStatusLimiter(db, { limit, isOnlyProcess });
  const undelivered = new UndeliveredCreates(db, lifecycle.log);
  let isStopping = false;
  const services: ApiServices = {
    ...shared,
    fileProviders: file.providers ?? {},
    accept: createAcceptTask(lifecycle, { runningTasksMax: config.accountRunningTasksMax }),
    undelivered,
    materialBytesMax: config.materialBytesMax,
    tasks,
    keys,
    createLimiter: new CreateLimiter({
      run: (work, options) => db.transaction(work, options),
      limit: config.createsPerMinuteMax,
    }),
    statusLimiter,
    verifyLimiter: new StatusLimiter({ limit: verificationsPerHour, windowSeconds: 3600 }),
    verifies: config.verify,
    accountLimits: {
      create: config.accountCreatesPerMinuteMax,
      status: config.accountQueriesPerMinuteMax,
      running: config.accountRunningTasksMax,
    },
    metricsToken: config.metricsToken,
    stripe: file.topUps?.stripe ? createStripeClient(file.topUps.stripe, credential) : null,
    processInfo: describeProcess(config),
    presignResult: config.storageServe === 'redirect' ? openedStorage.presign : null,
    openid: config.openid ? createOpenIdClient(config.openid) : null,
    isStopping: () => isStopping,
    findings: shareCalls(() => findingsOf(deps)),
    providerFigures: createProviderFigures(db, lifecycle.settings.currency),
  };
  const metrics = createMetrics(lifecycle, openedStorage.counts);
  const trustedProxies = parseNetworks(config.trustedProxies);
  const api = createApi(services, {
    routes: createRoutes({ metrics }),
    trustedProxies,
    allowedHosts: config.allowedHosts,
    pathFormats: dialectFormats,
    openMaterialBody,
    isStopping: services.isStopping,
  });
  const close = async () => {
    isStopping = true;
    if (config.drainSeconds > 0) await sleep(config.drainSeconds * 1000);
    await api.close();
    await undelivered.close();
    await keys.close();
    await statusLimiter.close();
    await tasks.close();
  };
  return { api, close };
}

/** The doctor is loaded when it is first called. */
async function findingsOf(deps: ApiDeps): Promise<readonly Finding[]> {
  const { config, file, db: database, lifecycle, runSelfTest, connections } = deps;
  const connected = connections
    .list()
    .flatMap(({ name, baseUrl: url, isRemoved }) =>
      url === null || isRemoved ? [] : { name, url },
    );
  const { examine } = await import('../doctor/doctor.ts');
  return await examine({
    config,
    file,
    database,
    storage: lifecycle.storage,
    runSelfTest,
    isServing: true,
    connected,
  });
}

function shareCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}
