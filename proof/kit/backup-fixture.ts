/**
 * A service on PostgreSQL, a folder for its backups, and empty installations to restore them into.
 */
import { join } from 'node:path';
import { type BackupStore, openFolderStore } from '../../server/backup/backup-store.ts';
import { createBackup } from '../../server/backup/create-backup.ts';
import { type RestoreOptions, restoreBackup } from '../../server/backup/restore-backup.ts';
import { type Config, readConfig } from '../../server/config/config.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { openDiskStorage } from '../../server/storage/disk.ts';
import { startJourney } from './journey.ts';
import { cloneDatabase } from './postgres.ts';
import { deleteFolder, makeTemporaryFolder } from './temporary-folder.ts';

export const configOf = ({ home, databaseUrl }: { home: string; databaseUrl: string }): Config =>
  readConfig({ VIDGEN_HOME: home, VIDGEN_DATABASE_URL: databaseUrl });

export async function startBackupFixture() {
  const journey = await startJourney();
  const { service } = journey;
  const config = configOf(service);
  const folder = makeTemporaryFolder('backup');
  const backups = join(folder, 'backups');
  const store = openFolderStore(backups);
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  let targets = 0;
  return {
    ...journey,
    config,
    folder,
    backups,
    store,
    lines,
    backUp: () => createBackup({ config, store, print }),
    restore: (
      into: Pick<RestoreOptions, 'config' | 'withoutDamagedFiles'>,
      id: string | null = null,
      from: BackupStore = store,
    ) => restoreBackup({ ...into, store: from, id, print }),
    /** An empty installation: no home directory yet, and a database without tables. */
    async emptyTarget() {
      const { url, drop } = await cloneDatabase(service.databaseUrl, 'template0');
      const target = { home: join(folder, `home-${++targets}`), databaseUrl: url };
      return { ...target, config: configOf(target), [Symbol.asyncDispose]: drop };
    },
    async close() {
      await journey.close();
      deleteFolder(folder);
    },
  };
}

/** Tables that an idle service does not change: no counters, and no times of last use. */
const stable = [
  ...['accounts', 'tasks', 'attempts', 'jobs', 'deliveries', 'call_attempts'],
  ...['balances', 'ledger_entries', 'audit_log'],
];

export async function tableDigests(url: string): Promise<Record<string, string>> {
  const db = await openPostgres(url, { connectionsMax: 1 });
  const found: Record<string, string> = {};
  for (const name of stable) {
    const { rows } = await db.query<{ digest: string }>(
      `select md5(string_agg(md5(t::text), '' order by md5(t::text))) as digest from ${name} t`,
    );
    found[name] = rows[0]!.digest;
  }
  await db.close();
  return found;
}

export async function filesIn(home: string): Promise<string[]> {
  const storage = await openDiskStorage(join(home, 'results'));
  return (await Array.fromAsync(storage.list(''), ({ key, bytes }) => `${key} ${bytes}`)).sort();
}
