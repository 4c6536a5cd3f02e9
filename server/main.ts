/**
 * `npm start`: reads settings, opens the database, prepares the first run, then serves until it is
 * stopped. A stop drains: requests in progress are answered, running stages finish or release their
 * leases, then the process exits.
 */
import { hostname } from 'node:os';
import { loadSecret, SecretMismatchError } from './accounts/installation-secret.ts';
import { readRestoredFrom } from './accounts/installation-settings.ts';
import { type ComposedService, composeService, loadModules, type ServiceDeps } from './compose.ts';
import { type Config, ConfigError, type Role } from './config/config.ts';
import { credentialNames, registerOwnSecrets, takeSecrets } from './config/config-file.ts';
import { unknownSettings } from './config/env-reader.ts';
import { readSettings } from './config/settings.ts';
import { eraseStartEnvironment, loadEnvFile } from './config/start-environment.ts';
import { version } from './config/version.ts';
import { connectMessage, type Database } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { openOwnPostgres, stopChannel } from './database/own-postgres.ts';
import { openPostgres, type PostgresOptions } from './database/postgres.ts';
import { openRetrying } from './database/retry-at-start.ts';
import { afterArrivals } from './process/clock.ts';
import { limitHeapGrowth } from './process/heap.ts';
import { HomeLockedError, isOpenToOthers, lockHome, requireHome } from './process/home-lock.ts';
import {
  readRestoreMark,
  readSelfTestMark,
  requireNotMoved,
  requireRestored,
  writeSelfTestMark,
} from './process/home-marks.ts';
import { listenOn, resolvePort } from './process/listen.ts';
import {
  isGroupMember,
  outliveGroup,
  reportServing,
  startProcessGroup,
} from './process/process-group.ts';
import { hideFromSandbox, sandboxWeakness } from './process/sandbox.ts';
import { selfTestMessage } from './providers/preview/preview.ts';
import { createFirstRunBar, print, printBanner } from './start/banner.ts';
import { createBootstrapLink, createDemoAccount, loadAdminToken } from './start/bootstrap.ts';
import { createLog, type Log, redact, registerSecret } from './telemetry/log.ts';

/** Each waits for five seconds. */
const connectAttempts = 3;

const firstRun = createFirstRunBar();

limitHeapGrowth();
// Materials and results belong to customers, also in a home directory that is open to other users.
process.umask(0o077);
// Node would print all properties of the error, and a database error quotes whole rows.
process.on('uncaughtException', exitWithError);
await main().catch(exitWithError);

function exitWithError(error: unknown): never {
  const isUserError = [ConfigError, HomeLockedError, SecretMismatchError].some(
    (kind) => error instanceof kind,
  );
  firstRun.end();
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${redact(isUserError ? message : (stack ?? message))}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const stop = stopSignal();
  let isWaiting = true;
  // The database may take long, and its start can be cut anywhere.
  void stop.then(() => isWaiting && process.exit(0));
  outliveGroup();
  // A group member has the environment of the process that started it.
  if (!isGroupMember) loadEnvFile();
  registerOwnSecrets(process.env);
  const environment = { ...process.env };
  const { config, file } = await readSettings(process.env, process.argv.slice(2));
  eraseStartEnvironment(takeSecrets(file, process.env));
  const log = createLog(config.logLevel);
  if (!isGroupMember) {
    for (const unknown of unknownSettings(environment, credentialNames(file))) log.warn(unknown);
  }
  const isOwn = config.databaseUrl === null;
  const isGroup = config.processes !== null;
  const isOnlyProcess = isOwn && config.role === 'all' && !isGroup;
  requireHome(config.home);
  hideFromSandbox(config.home, config.configFile);
  const home = isOwn ? lockHome(config.home, { isShared: !isOnlyProcess }) : null;
  if (isOwn) requireNotMoved(config.home);
  const hasApi = config.role !== 'worker';
  const port = hasApi && !isGroupMember ? await resolvePort(config) : config.port;
  const started = new AbortController();
  const opening = openDatabase(config, { log, started: started.signal });
  // Only when the database server is on its way, which would wait for half a second of loading. A
  // failure is reported where the modules are used.
  if (!isGroup) afterArrivals(() => void loadModules(config.role).catch(() => {}));
  const db = await opening;
  if (readRestoreMark(config.home) !== null) {
    requireRestored(config.home, await readRestoredFrom(db));
  }
  await migrate(db, {
    onWait: (migration) => log.warn({ migration }, 'migration waited for a lock, retrying'),
  });
  isWaiting = false;
  const publicUrl = config.publicUrl ?? `http://${formatHost(config.host)}:${port}`;
  const adminToken = loadAdminToken(config.home, config.adminToken);
  registerSecret(adminToken);
  const start = { config, file, db, log, stop, port, publicUrl, adminToken, isOnlyProcess };
  const work = isGroup ? await startGroup(start, environment) : await startService(start);
  started.abort();
  if (!isGroupMember) warnAboutMachine(config, log);
  await stop;
  log.info('stopping, waiting for work in progress');
  await work.stop();
  await db.close();
  home?.[Symbol.dispose]();
  process.exit(0);
}

type Start = Omit<ServiceDeps, 'publicUrl'> & {
  readonly publicUrl: string;
  readonly port: number;
  readonly stop: Promise<void>;
};

/** What serves until it is stopped: the service in this process, or a group of processes. */
type StartedWork = { stop(): Promise<void> };

async function startService(start: Start): Promise<StartedWork> {
  const { config, log, port, publicUrl } = start;
  const service = await composeService({
    ...start,
    publicUrl: () => publicUrl,
    onStoreLost(store) {
      log.fatal({ store }, 'store did not heal, exiting so that a supervisor restarts the process');
      process.exit(1);
    },
  });
  registerSecret(service.secret);
  if (!isGroupMember) await greet(start, service.secret);
  await service.worker?.start();
  if (service.api) await listenOn(service.api.server, { host: config.host, port });
  const { metricsPort } = config;
  if (service.monitoring && metricsPort !== null) {
    await listenOn(service.monitoring, { host: config.host, port: metricsPort });
  }
  logServing(log, { role: config.role, pid: process.pid, url: publicUrl });
  reportServing();
  // Not awaited: a machine that cannot render previews still serves other providers.
  if (service.worker && config.selfTest) void reportSelfTest(service, start);
  return { stop: () => service.close() };
}

/**
 * This process keeps the database and starts the others, which find its port and its files. One
 * that ends before it served ends the start.
 */
async function startGroup(start: Start, environment: NodeJS.ProcessEnv): Promise<StartedWork> {
  const { config, db, log, port, publicUrl, stop } = start;
  const secret = await loadSecret(db, config.secret);
  registerSecret(secret);
  await greet(start, secret);
  const group = startProcessGroup({
    roles: [
      ...Array<Role>(config.processes ?? 1).fill('api'),
      ...(config.role === 'all' ? (['worker'] as const) : []),
    ],
    environment: { ...environment, PORT: String(port), VIDGEN_PROCESSES: '' },
    log,
  });
  try {
    await Promise.race([group.serving, stop]);
  } catch (error) {
    await group.stop();
    await db.close();
    throw error;
  }
  logServing(log, { processes: config.processes, url: publicUrl });
  return group;
}

/** Creates what the first run needs, and prints how to use the service. */
async function greet({ config, db, publicUrl }: Start, secret: string): Promise<void> {
  const hasApi = config.role !== 'worker';
  const isOwn = config.databaseUrl === null;
  const demoKey = isOwn && hasApi ? await createDemoAccount(db, secret) : null;
  const bootstrapLink = hasApi ? await createBootstrapLink(db, publicUrl) : null;
  firstRun.end();
  printBanner({ config, publicUrl, demoKey, bootstrapLink });
}

function warnAboutMachine(config: Config, log: Log): void {
  if (isOpenToOthers(config.home))
    log.warn({ home: config.home }, 'home directory is open to other users');
  const weakness = sandboxWeakness();
  if (weakness) log.warn(weakness, 'media processes run without their own namespaces');
}

async function openDatabase(config: Config, starting: StartingProcess): Promise<Database> {
  const { log } = starting;
  const { databaseUrl, databaseListenUrl } = config;
  const onError = (error: Error) =>
    log.warn({ error: error.message }, 'database connection failed');
  if (databaseUrl === null) return await openOwnDatabase(config.home, { ...starting, onError });
  const open = async (name: string, url: string, options: PostgresOptions = {}) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await openPostgres(url, { onError, ...options });
      } catch (error) {
        const { message } = error as Error;
        // While it loads modules, a process on a busy machine can miss the response itself.
        if (attempt < connectAttempts && message.startsWith('timeout')) continue;
        throw new ConfigError([`${name}: ${connectMessage(error)}`]);
      }
    }
  };
  if (databaseListenUrl === null) return await open('VIDGEN_DATABASE_URL', databaseUrl);
  // Fails at the start if it is unreachable; the listener itself would retry forever.
  await (await open('VIDGEN_DATABASE_LISTEN_URL', databaseListenUrl)).close();
  return await open('VIDGEN_DATABASE_URL', databaseUrl, { listenUrl: databaseListenUrl });
}

type StartingProcess = { readonly log: Log; readonly started: AbortSignal };

/** Closing it also stops the server, after the connections. */
async function openOwnDatabase(
  home: string,
  { log, started, onError }: StartingProcess & { readonly onError: (error: Error) => void },
): Promise<Database> {
  const server = await openOwnPostgres({
    home,
    log,
    onCreate() {
      requireRestored(home, null);
      firstRun.start();
    },
  });
  firstRun.databaseCreated();
  registerSecret(new URL(server.url).password);
  let isClosing = false;
  // The server ends connections that the pool is still closing.
  const options = { onError: (error: Error) => isClosing || onError(error), stopChannel };
  const db = await openRetrying(() => openPostgres(server.url, options), started);
  const close = async () => {
    isClosing = true;
    await db.close();
    await server.stop();
  };
  return { ...db, close };
}

/** On a terminal the lines above say it to a person. */
function logServing(log: Log, fields: object): void {
  if (process.stderr.isTTY) log.debug(fields, 'serving');
  else log.info(fields, 'serving');
}

/**
 * Prints one line for the operator, unless the process is stopped first. Rendering a clip takes
 * more processor time than the rest of a start, so what has passed here is not tested again.
 */
async function reportSelfTest(
  service: ComposedService,
  { config, log, stop }: Pick<Start, 'config' | 'log' | 'stop'>,
): Promise<void> {
  const mark = [version, process.version, process.arch, hostname()].join(' ');
  if (readSelfTestMark(config.home) === mark) return;
  const report = await Promise.race([service.runSelfTest(), stop]);
  if (!report) return;
  if (report.ready) writeSelfTestMark(config.home, mark);
  if (!report.ready || !process.stdout.isTTY) print(selfTestMessage(report));
  if (!report.ready) log.warn({ detail: report.detail }, 'preview self-test failed');
}

/**
 * The launcher sends a message, the system a signal, and a closed channel means that the launcher
 * died. Ctrl-C can arrive in several of these ways and counts once.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve());
    process.on('message', () => resolve());
    process.on('disconnect', () => resolve());
  });
}

function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
