/**
 * Data and code of earlier versions, for tests of upgrades. The data is in the repository; the code
 * is in its history, which a shallow clone does not have.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openFolderStore } from '../../server/backup/backup-store.ts';
import { findManifest } from '../../server/backup/manifest.ts';
import { storedDatabase } from '../../server/backup/stored-database.ts';
import { loadDatabase, migrationsOf } from '../../server/database/load.ts';

const repository = join(import.meta.dirname, '../..');
const fixtures = join(import.meta.dirname, 'fixtures/upgrade');
/** Used until there is a tag of a release: the newest commit with the schema of `0036`. */
const earlierCommit = '040e509349a8ac284ce9baa5e51fc6d93534fe82';

/** The last migration of each data set, by its number. */
export const earlierSchemas = ['0008', '0036'] as const;
export type EarlierSchema = (typeof earlierSchemas)[number];

export const earlierKeys = (schema: EarlierSchema): Record<string, string> =>
  JSON.parse(readFileSync(join(fixtures, schema, 'keys.json'), 'utf8'));

/** Fills an empty database as an earlier version left it, without any later migration. */
export async function loadEarlierData(url: string, schema: EarlierSchema): Promise<void> {
  const store = openFolderStore(join(fixtures, schema));
  const manifest = await findManifest(store, null);
  const migrations = migrationsOf(manifest.migrations);
  await loadDatabase(url, storedDatabase(store, manifest), {
    migrations,
    onTable: () => {},
    // The files of its results are not part of the data, so any storage will do.
    finish: async (db) => void (await db.query(`delete from settings where key = 'storage_mark'`)),
  });
}

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', repository, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** The last release before this version, or a commit of that age; null without the history. */
export function findEarlierCommit(): string | null {
  try {
    const tags = git('tag', '--list', 'v*', '--sort=v:refname', '--no-contains', 'HEAD');
    const commit = tags.split('\n').at(-1) || earlierCommit;
    git('cat-file', '-e', `${commit}^{commit}`);
    return commit;
  } catch {
    return null;
  }
}

/** Unpacks the code of a commit, with the packages of this one; returns its program. */
export function unpackCommit(commit: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['-C', repository, 'archive', commit], {
    maxBuffer: 1024 ** 3,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const packages = join(repository, 'node_modules');
  const ours = join(folder, 'node_modules');
  mkdirSync(join(ours, '@vidgen'), { recursive: true });
  for (const name of readdirSync(packages)) {
    if (name !== '@vidgen') symlinkSync(join(packages, name), join(ours, name));
  }
  for (const name of readdirSync(join(packages, '@vidgen'))) {
    symlinkSync(join(folder, name), join(ours, '@vidgen', name));
  }
  return join(folder, 'server/main.ts');
}
