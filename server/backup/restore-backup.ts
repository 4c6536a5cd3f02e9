/**
 * Restores a backup into an empty installation. Every part is verified before anything changes; the
 * database appears complete in one step, last. Until then a mark keeps the service from starting,
 * and the next restore starts over.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { loadSecret, storageOwner } from '../accounts/installation-secret.ts';
import {
  readRestoredFrom,
  setRestoredFrom,
  setStorage,
} from '../accounts/installation-settings.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { Queryable } from '../database/database.ts';
import { loadDatabase, migrationsOf } from '../database/load.ts';
import { openOwnPostgres } from '../database/own-postgres.ts';
import { openPostgres } from '../database/postgres.ts';
import { checkInvariants, type InvariantCheck } from '../lifecycle/checks/invariants.ts';
import { lockHome } from '../process/home-lock.ts';
import { markRestore, readRestoreMark, removeRestoreMark } from '../process/home-marks.ts';
import { parseKey, type Storage } from '../storage/storage.ts';
import { createLog } from '../telemetry/log.ts';
import type { BackupStore } from './backup-store.ts';
import type { Print } from './create-backup.ts';
import { findDamage, requireRestorable } from './find-damage.ts';
import { openStorageOf } from './installation.ts';
import { filePath, findManifest, listPath, type Manifest, tokenPath } from './manifest.ts';
import { readFileList } from './save-files.ts';
import { partOf, readPart, storedDatabase } from './stored-database.ts';

export type RestoreOptions = {
  readonly config: Config;
  readonly store: BackupStore;
  /** Null for the newest complete one. */
  readonly id: string | null;
  /** Restores all but the files that are damaged; damaged rows are never left out. */
  readonly withoutDamagedFiles?: boolean;
  readonly print: Print;
};

/** Returns whether the invariants hold. Throws `ConfigError` if the installation is not empty. */
export async function restoreBackup(options: RestoreOptions): Promise<boolean> {
  const { config, store, id, print } = options;
  const { home } = config;
  const manifest = await findManifest(store, id);
  migrationsOf(manifest.migrations);
  using _lock = config.databaseUrl === null ? lockHome(home) : null;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (await hasEndedBefore(config)) {
    removeRestoreMark(home);
    print('The restore that was cut had been completed: start the service.');
    return true;
  }
  const owner = config.secret === null ? manifest.storageOwner : storageOwner(config.secret);
  const { storage, readMark } = await openStorageOf(config, owner);
  await requireEmpty(config, storage);
  print(`Verifying ${manifest.id} of ${store.label} …`);
  const damaged = await findDamage(store, manifest);
  requireRestorable(manifest, damaged, options);
  markRestore(home, manifest.id);
  for await (const { key } of storage.list('')) await storage.remove([key]);
  const files = await restoreFiles(options, { manifest, storage, damaged });
  print(`  ${files.toLocaleString('en')} files`);
  const checks = await restoreDatabase(options, { manifest, storageMark: await readMark() });
  removeRestoreMark(home);
  if (manifest.needsSecret && config.secret === null) {
    print('The service needs the VIDGEN_SECRET of the original to start.');
  }
  return reportChecks(checks, print);
}

/** Whether an earlier restore was cut between its last step and the removal of its mark. */
async function hasEndedBefore({ home, databaseUrl }: Config): Promise<boolean> {
  const backupId = readRestoreMark(home);
  if (backupId === null) return false;
  // A start refuses a marked home directory, so only a complete restore put it there.
  if (databaseUrl === null) return existsSync(join(home, 'postgres'));
  const db = await openPostgres(databaseUrl, { connectionsMax: 1 });
  return (await readRestoredFrom(db).finally(() => db.close())) === backupId;
}

/** Files of a restore that was cut do not count. */
async function requireEmpty({ home, databaseUrl }: Config, storage: Storage): Promise<void> {
  const isRepeated = readRestoreMark(home) !== null;
  const own = databaseUrl === null ? ['postgres', 'database'] : [];
  const found = own.find((name) => existsSync(join(home, name)));
  const advice = 'restore into a new VIDGEN_HOME, or move this one away';
  if (found) throw new ConfigError([`${home} has a database already (${found}); ${advice}`]);
  if (databaseUrl !== null) await requireEmptyDatabase(databaseUrl);
  if (isRepeated) return;
  for await (const { key } of storage.list('')) {
    throw new ConfigError([`the storage is not empty (it has ${key}); ${advice}`]);
  }
}

/** Checked again in the transaction that fills it. */
async function requireEmptyDatabase(url: string): Promise<void> {
  const db = await openPostgres(url, { connectionsMax: 1 });
  const { rows } = await db
    .query(`select to_regclass('accounts') as "table"`)
    .finally(() => db.close());
  if (rows[0]?.table === null) return;
  throw new ConfigError([
    'VIDGEN_DATABASE_URL names a database that has tables; name an empty one',
  ]);
}

type RestoredFiles = {
  readonly manifest: Manifest;
  readonly storage: Storage;
  readonly damaged: ReadonlySet<string>;
};

async function restoreFiles(
  { config: { home }, store, print }: RestoreOptions,
  { manifest, storage, damaged }: RestoredFiles,
): Promise<number> {
  const { id, adminToken } = manifest;
  for (const path of damaged) print(`Lost: ${path.slice(id.length + 1)}`);
  const isListed = !damaged.has(listPath(id));
  if (!isListed) print(`Lost: all ${manifest.files.count} files, which only their list names`);
  let count = 0;
  for await (const file of isListed ? readFileList(store, manifest) : []) {
    const { key, sha256 } = file;
    if (damaged.has(filePath(id, key))) continue;
    const content = await readPart(store, filePath(id, key), partOf(file));
    await storage.put({ key, content, contentType: parseKey(key).contentType, sha256 });
    count += 1;
  }
  const token = join(home, 'admin-token');
  if (adminToken && !damaged.has(tokenPath(id)) && !existsSync(token)) {
    const content = await buffer(await readPart(store, tokenPath(id), adminToken));
    writeFileSync(token, content, { mode: 0o600, flush: true });
  }
  return count;
}

type Checks = readonly InvariantCheck[];

async function restoreDatabase(
  { config, store, print }: RestoreOptions,
  { manifest, storageMark }: { readonly manifest: Manifest; readonly storageMark: string },
): Promise<Checks> {
  const { id } = manifest;
  let checks: Checks = [];
  const load = (url: string) =>
    loadDatabase(url, storedDatabase(store, manifest), {
      onTable: (table, loaded) => print(`  ${table}  ${loaded.toLocaleString('en')}`),
      async finish(db: Queryable) {
        await setRestoredFrom(db, id);
        await setStorage(db, storageMark);
        if (config.secret !== null) await loadSecret(db, config.secret);
        ({ checks } = await checkInvariants(db));
      },
    });
  if (config.databaseUrl !== null) await load(config.databaseUrl);
  else await fillOwnDatabase(config.home, load);
  return checks;
}

/** The cluster is put in its place when `load` has filled it. */
async function fillOwnDatabase(home: string, load: (url: string) => Promise<void>): Promise<void> {
  const fill = async ({ url }: { readonly url: string }) => {
    await load(url).catch((error: Error) => {
      // Any other error would be retried.
      throw error instanceof ConfigError ? error : new ConfigError([error.message]);
    });
  };
  const server = await openOwnPostgres({ home, log: createLog('error'), fill });
  await server.stop();
}

/** Prints the invariants that do not hold. They did not hold in the original either. */
export function reportChecks(checks: Checks, print: Print): boolean {
  const failed = checks.filter(({ ok }) => !ok);
  for (const { name, offenders } of failed) {
    for (const offender of offenders)
      print(`Inconsistent, as in the original: ${name}: ${offender}`);
  }
  if (failed.length === 0) print('Complete. All five invariants hold.');
  return failed.length === 0;
}
