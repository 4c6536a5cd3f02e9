/**
 * `npm start`: settings, database, first start, then serve until told to stop. A stop drains:
 * requests under way are answered, running stages end or give their leases back, then the process
 * leaves.
 */
import { join } from 'node:path';
import { unescape as decoded } from 'node:querystring';
import { WrongSecret } from './accounts/installation-secret.ts';
import { type Assembled, assemble } from './assemble.ts';
import { type Config, ConfigTrouble } from './config.ts';
import type { Database } from './database/database.ts';
import { openEmbedded } from './database/embedded.ts';
import { migrate } from './database/migrate.ts';
import { openPostgres, type PostgresOptions } from './database/postgres.ts';
import { adminToken, curlLine, makeDemoAccount, makeFirstLink } from './first-start.ts';
import { keepHeapSmall } from './heap.ts';
import { HomeHeld, holdHome } from './home.ts';
import { freePort, listenThere } from './listen.ts';
import { createLog, keepSecret, type Log, withoutSecrets } from './log.ts';
import { previewSentence } from './providers/preview/preview.ts';
import { readSettings } from './settings.ts';

const say = (line = '') => void process.stdout.write(`${line}\n`);

keepHeapSmall();
// Node would print whatever hangs on the error, and such as the database's quote whole rows.
process.on('uncaughtException', giveUp);
await main().catch(giveUp);

function giveUp(error: unknown): never {
  const isPlain = [ConfigTrouble, HomeHeld, WrongSecret].some((kind) => error instanceof kind);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${withoutSecrets(isPlain ? message : (stack ?? message))}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const stop = stopSignal();
  const { config, file } = await readSettings(process.env, process.argv.slice(2));
  keepOwnSecrets(config);
  const log = createLog(config.logLevel);
  const home = config.databaseUrl === null ? await holdHome(config.home) : null;
  const port = config.role === 'worker' ? config.port : await freePort(config);
  const db = await openDatabase(config, log);
  await migrate(db);
  const publicUrl = config.publicUrl ?? `http://${bracketed(config.host)}:${port}`;
  const token = adminToken(config.home, config.adminToken);
  const parts = { config, file, db, log, publicUrl: () => publicUrl, adminToken: token };
  const service = await assemble(parts);
  for (const made of [token, service.secret]) keepSecret(made);
  const demoKey = db.engine === 'embedded' ? await makeDemoAccount(db, service.secret) : null;
  const firstLink = config.role === 'worker' ? null : await makeFirstLink(db, publicUrl);
  greet({ config, publicUrl, demoKey, firstLink });
  await service.worker?.start();
  if (service.api) await listenThere(service.api.server, { host: config.host, port });
  log.info({ role: config.role, engine: db.engine, url: publicUrl }, 'serving');
  // Not waited for: a machine that cannot render still serves what other providers make.
  if (service.worker && config.selfTest) void tellSelfTest(service, { log, stop });

  await stop;
  log.info('stopping: finishing what is under way');
  await service.close();
  await db.close();
  home?.[Symbol.dispose]();
  process.exit(0);
}

/** What was given to us; the credentials that the configuration file names follow with it. */
function keepOwnSecrets(config: Config): void {
  for (const one of [config.secret, config.adminToken]) keepSecret(one);
  for (const address of [config.databaseUrl, config.databaseListenUrl]) {
    if (address === null) continue;
    const { password, searchParams } = new URL(address);
    for (const one of [password, decoded(password), searchParams.get('password')]) keepSecret(one);
  }
}

async function openDatabase(config: Config, log: Log): Promise<Database> {
  const { databaseUrl, databaseListenUrl } = config;
  if (databaseUrl === null) return await openEmbedded(join(config.home, 'database'));
  const onTrouble = (error: Error) => log.warn({ error: error.message }, 'database connection');
  const open = (name: string, url: string, options: PostgresOptions = {}) =>
    openPostgres(url, { onTrouble, ...options }).catch(({ message }: Error) => {
      throw new ConfigTrouble([`${name}: no PostgreSQL answers there (${message})`]);
    });
  if (databaseListenUrl === null) return await open('VIDGEN_DATABASE_URL', databaseUrl);
  // Only to say so at once: whoever listens would try for ever.
  await (await open('VIDGEN_DATABASE_LISTEN_URL', databaseListenUrl)).close();
  return await open('VIDGEN_DATABASE_URL', databaseUrl, { listenUrl: databaseListenUrl });
}

/** One sentence for who started it; a stop that comes first says nothing about the machine. */
async function tellSelfTest(
  service: Assembled,
  { log, stop }: { log: Log; stop: Promise<void> },
): Promise<void> {
  const report = await Promise.race([service.canRender(), stop]);
  if (!report) return;
  say(previewSentence(report));
  if (!report.ready) log.warn({ detail: report.detail }, 'this machine cannot render previews');
}

function greet(about: {
  config: Config;
  publicUrl: string;
  demoKey: string | null;
  firstLink: string | null;
}): void {
  const { config, publicUrl, demoKey, firstLink } = about;
  say();
  if (config.role !== 'worker') {
    say(`  vidgen  ${publicUrl}`);
    say(`  reference  ${publicUrl}/docs`);
    if (config.adminToken === null) say(`  admin token  in ${join(config.home, 'admin-token')}`);
  } else {
    say('  vidgen worker');
  }
  if (demoKey !== null) {
    say(`  API key  ${demoKey}`);
    say('           (a demo account with 10,000 credits; shown this once)');
    say();
    say('Make a first video:');
    say();
    say(curlLine(publicUrl, demoKey));
  }
  if (firstLink !== null) {
    say();
    say(`Open the dashboard: ${firstLink}`);
    say('           (makes you its administrator; works once)');
  }
  say();
}

/**
 * The launcher asks by message, the system by signal, and a closed channel means that the launcher
 * has died. A Ctrl-C arrives several ways at once: it counts once.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve());
    process.on('message', () => resolve());
    process.on('disconnect', () => resolve());
  });
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
