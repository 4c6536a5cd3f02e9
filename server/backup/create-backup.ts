/**
 * Makes a backup while the service runs: every row as of one point in time, and the files they
 * refer to. The manifest is written last, so one that was cut is recognized as incomplete.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { readStoredSecret, storageOwner } from '../accounts/installation-secret.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { version } from '../config/version.ts';
import { openPostgres } from '../database/postgres.ts';
import { openSnapshot, type Snapshot } from '../database/snapshot.ts';
import { listResultKeys } from '../tasks/store.ts';
import { type BackupStore, newBackupId } from './backup-store.ts';
import { openSource, openStorageOf } from './installation.ts';
import {
  type Manifest,
  manifestPath,
  readManifest,
  startedPath,
  tablePath,
  tokenPath,
  writeManifest,
} from './manifest.ts';
import { type SavedFiles, saveFiles } from './save-files.ts';

export type Print = (line: string) => void;

type CreateOptions = {
  readonly config: Config;
  readonly store: BackupStore;
  readonly print: Print;
};

export async function createBackup(options: CreateOptions): Promise<Manifest> {
  const { config, store, print } = options;
  const previous = await removeIncomplete(store, print);
  const source = await openSource(config);
  try {
    const snapshot = await openSnapshot(source.url);
    const id = newBackupId(snapshot.takenAt);
    print(`Backing up to ${store.label}, as ${id} …`);
    await store.write(startedPath(id), [Buffer.from(version)]);
    const { resultKeys, secret, ...database } = await saveDatabase(snapshot, { store, id }).finally(
      // Before the files: an open snapshot keeps PostgreSQL from reusing the space of dead rows.
      () => snapshot.close(),
    );
    const known = config.secret ?? secret;
    const owner = known === null ? null : storageOwner(known);
    const { storage } = await openStorageOf(config, owner);
    const db = await openPostgres(source.url, { connectionsMax: 1 });
    const saved = { store, id, storage, db, resultKeys, previous, print };
    const { copied, ...files } = await saveFiles(saved).finally(() => db.close());
    const token = join(config.home, 'admin-token');
    const manifest: Manifest = {
      format: 1,
      id,
      takenAt: snapshot.takenAt.toISOString(),
      vidgen: version,
      ...database,
      files,
      adminToken: existsSync(token)
        ? await store.write(tokenPath(id), [readFileSync(token)])
        : null,
      storageOwner: owner,
      needsSecret: secret === null,
    };
    await requireStarted(store, id);
    await writeManifest(store, manifest);
    report(manifest, { copied, print });
    return manifest;
  } finally {
    await source.close();
  }
}

/** Returns the newest complete backup, if any. */
async function removeIncomplete(store: BackupStore, print: Print): Promise<Manifest | null> {
  let newest: Manifest | null = null;
  for (const id of (await store.listBackups()).toSorted()) {
    const stream = await store.read(manifestPath(id));
    stream?.destroy();
    if (!stream) {
      print(`Deleting ${id}, which was not completed.`);
      await store.removeBackup(id);
    } else {
      // A damaged one is not deleted, and its files are not used.
      newest = (await readManifest(store, id).catch(() => null)) ?? newest;
    }
  }
  return newest;
}

async function requireStarted(store: BackupStore, id: string): Promise<void> {
  const stream = await store.read(startedPath(id));
  stream?.destroy();
  if (stream) return;
  throw new ConfigError([
    `another backup to ${store.label} deleted this one as incomplete; use one place for each ` +
      'installation, and run one backup at a time',
  ]);
}

async function saveDatabase(
  snapshot: Snapshot,
  { store, id }: { readonly store: BackupStore; readonly id: string },
) {
  const tables: Manifest['tables'][number][] = [];
  for (const table of snapshot.tables) {
    const rows = snapshot.read(table);
    const compressed = createGzip({ level: 3 });
    rows.on('error', (error) => compressed.destroy(error));
    const part = await store.write(tablePath(id, table.name), rows.pipe(compressed));
    const { name, columns } = table;
    tables.push({ name, columns: [...columns], rows: await snapshot.countRead(), ...part });
  }
  return {
    migrations: [...snapshot.migrations],
    tables,
    sequences: await snapshot.readSequences(),
    secret: await readStoredSecret(snapshot.db),
    resultKeys: await Array.fromAsync(listResultKeys(snapshot.db)),
  };
}

function report(
  manifest: Manifest,
  { copied, print }: Pick<SavedFiles, 'copied'> & { readonly print: Print },
): void {
  const { tables, files } = manifest;
  const rows = tables.reduce((total, table) => total + table.rows, 0);
  const count = (number: number) => number.toLocaleString('en');
  print(`  ${count(rows)} rows of ${tables.length} tables, as of ${manifest.takenAt}`);
  print(`  ${count(files.count)} files, ${count(files.bytes)} bytes; ${count(copied)} copied`);
  if (files.expired > 0) print(`  ${count(files.expired)} files expired meanwhile`);
  for (const key of files.lost) print(`  not in the storage: ${key}`);
  print(
    manifest.needsSecret
      ? 'Complete. VIDGEN_SECRET is not in it: keep it elsewhere, no API key works without it.'
      : 'Complete. It holds the secrets of the installation: keep it private.',
  );
  print('Also keep your settings and vidgen.config.ts; they are not in it.');
}
