/**
 * `npm run doctor`: examines the installation while the service runs, and when it cannot start.
 * Prints each finding with its remedy, or with `--json` all of them; exits with 1 on an error.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Finding } from '@vidgen/contract/admin-system.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { type ConfigFile, credentialNames, registerOwnSecrets } from '../config/config-file.ts';
import { unknownSettings } from '../config/env-reader.ts';
import { readSettings } from '../config/settings.ts';
import { loadEnvFile } from '../config/start-environment.ts';
import type { Database } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { checkVersion, findOwnBinaries } from '../database/postgres-cluster.ts';
import { acceptsConnections, socketServer } from '../database/postgres-process.ts';
import { windowsServer } from '../database/postgres-windows.ts';
import { hideFromSandbox } from '../process/sandbox.ts';
import { createPreviews } from '../providers/preview/preview.ts';
import { openDiskStorage } from '../storage/disk.ts';
import { createS3Storage } from '../storage/s3-bucket.ts';
import { createS3Client } from '../storage/s3-client.ts';
import { createCredentialSource } from '../storage/s3-credentials.ts';
import { parseS3Url } from '../storage/s3-settings.ts';
import type { Storage } from '../storage/storage.ts';
import { createLog, redact } from '../telemetry/log.ts';
import { checkLimits } from './check-machine.ts';
import { examine } from './doctor.ts';
import { failure, messageOf, ok, warning } from './finding.ts';

const args = process.argv.slice(2);
const isJson = args.includes('--json');
process.umask(0o077);
loadEnvFile();
registerOwnSecrets(process.env);
const findings = await findAll();
process.stdout.write(isJson ? `${JSON.stringify({ findings })}\n` : describe(findings));
process.exit(findings.some(({ level }) => level === 'error') ? 1 : 0);

async function findAll(): Promise<readonly Finding[]> {
  const unknown = args.find((arg) => arg !== '--json');
  if (unknown !== undefined) {
    return [failure('settings', `${unknown} is not a known option`, 'Use --json or no option.')];
  }
  const fix = 'Correct it; docs/settings.md and docs/providers.md have all settings.';
  try {
    const { config, file } = await readSettings(process.env);
    const unknown = unknownSettings(process.env, credentialNames(file)).map((message) =>
      warning('settings', message, 'Correct or remove it; docs/settings.md has all settings.'),
    );
    const settings = [ok('settings', 'All settings are valid'), ...unknown];
    return [...settings, ...(await examineInstallation(config, file))];
  } catch (error) {
    const errors = error instanceof ConfigError ? error.errors : [messageOf(error)];
    return [
      ...errors.map((message) => failure('settings', redact(message), fix)),
      ...checkLimits(),
    ];
  }
}

async function examineInstallation(config: Config, file: ConfigFile): Promise<Finding[]> {
  hideFromSandbox(config.home, config.configFile);
  const database = await openDatabase(config);
  const storage = await openStorage(config);
  const folder = mkdtempSync(join(tmpdir(), 'vidgen-doctor-'));
  const previews = await createPreviews({
    folder,
    slots: 1,
    materialBytesMax: config.materialBytesMax,
    log: createLog('silent'),
    fetchMaterial: async () => ({ saved: false }),
  });
  try {
    const found = await examine({
      config,
      file,
      database,
      isServing: false,
      runSelfTest: previews.runSelfTest,
      storage: storage && 'put' in storage ? storage : null,
    });
    return [...found, ...(storage && 'area' in storage ? [storage] : [])];
  } finally {
    await previews.preview.close?.();
    rmSync(folder, { recursive: true, force: true });
    if ('close' in database) await database.close();
  }
}

/** A bucket is not marked as ours: that is for the first start. */
async function openStorage(config: Config): Promise<Storage | Finding | null> {
  const { home, storageUrl, aws } = config;
  if (storageUrl !== null) {
    const credentials = createCredentialSource(aws);
    return createS3Storage(createS3Client({ settings: parseS3Url(storageUrl), credentials }));
  }
  // The first start creates the home; the check of the disk says whether it can.
  if (!existsSync(home)) return null;
  try {
    return await openDiskStorage(join(home, 'results'));
  } catch (error) {
    const remedy = 'Make VIDGEN_HOME writable for this user, or set it to another folder.';
    return failure('storage', redact(messageOf(error)), remedy);
  }
}

/** Never starts the database of the home directory: that is for the service. */
async function openDatabase(config: Config): Promise<Database | Finding> {
  const { databaseUrl, databaseListenUrl, home } = config;
  try {
    if (databaseUrl !== null) {
      return await openPostgres(databaseUrl, {
        connectionsMax: 1,
        listenUrl: databaseListenUrl ?? undefined,
      });
    }
    const kind = process.platform === 'win32' ? windowsServer : socketServer;
    const data = join(resolve(home), 'postgres');
    const { binaries, major } = findOwnBinaries();
    if (!existsSync(data)) {
      return ok('database', `The first start creates a PostgreSQL ${major}, from ${binaries}`);
    }
    checkVersion(data, major);
    const address = kind.address(resolve(home), data);
    if (!(await acceptsConnections(address.url))) {
      address[Symbol.dispose]();
      return ok('database', `PostgreSQL ${major} is not running; it starts with vidgen`);
    }
    const db = await openPostgres(address.url, { connectionsMax: 1 });
    const close = async () => {
      await db.close();
      address[Symbol.dispose]();
    };
    return { ...db, close };
  } catch (error) {
    const message = error instanceof ConfigError ? error.errors.join('; ') : messageOf(error);
    const remedy =
      databaseUrl === null
        ? 'Start vidgen and read postgres.log in the home directory.'
        : 'Check VIDGEN_DATABASE_URL, the server, its pg_hba.conf and the firewall.';
    return failure('database', redact(message), remedy);
  }
}

function describe(all: readonly Finding[]): string {
  const labels = { ok: 'ok     ', warning: 'warning', error: 'error  ' };
  const lines = all.flatMap(({ area, level, message, remedy }) => [
    `${labels[level]}  ${area}: ${message}`,
    ...(remedy === null ? [] : [`           ${remedy}`]),
  ]);
  const count = (level: Finding['level']) => all.filter((one) => one.level === level).length;
  const total = (level: Finding['level']) =>
    `${count(level)} ${level}${count(level) === 1 ? '' : 's'}`;
  return `${lines.join('\n')}\n\n${total('error')}, ${total('warning')}\n`;
}
