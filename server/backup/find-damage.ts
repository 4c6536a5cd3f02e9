/** Which parts of a backup are not what was written. Reads all of it, and changes nothing. */
import { ConfigError } from '../config/config.ts';
import type { BackupStore } from './backup-store.ts';
import { filePath, listPath, type Manifest, tablePath, tokenPath } from './manifest.ts';
import { DamagedPartError, damageMessage, type Part } from './part.ts';
import { readFileList } from './save-files.ts';
import { isWhole, partOf } from './stored-database.ts';

/** The paths of damaged and missing parts. Of a damaged list of files, the files are not read. */
export async function findDamage(store: BackupStore, manifest: Manifest): Promise<Set<string>> {
  const { id, tables, adminToken, files } = manifest;
  const damaged = new Set<string>();
  const verify = async (path: string, part: Part) => {
    if (!(await isWhole(store, path, part))) damaged.add(path);
  };
  for (const table of tables) await verify(tablePath(id, table.name), partOf(table));
  if (adminToken) await verify(tokenPath(id), adminToken);
  await verify(listPath(id), files.list);
  if (damaged.has(listPath(id))) return damaged;
  let count = 0;
  for await (const file of readFileList(store, manifest)) {
    await verify(filePath(id, file.key), partOf(file));
    count += 1;
  }
  if (count === files.count) return damaged;
  throw new ConfigError([`the backup ${id} lists ${count} of ${files.count} files`]);
}

/** Throws if rows are damaged, or anything unless `withoutDamagedFiles`. */
export function requireRestorable(
  { id, tables }: Manifest,
  damaged: ReadonlySet<string>,
  { withoutDamagedFiles = false }: { readonly withoutDamagedFiles?: boolean | undefined },
): void {
  const isTable = tables.some(({ name }) => damaged.has(tablePath(id, name)));
  if (damaged.size === 0 || (withoutDamagedFiles && !isTable)) return;
  const advice = isTable
    ? 'restore another backup with --backup'
    : 'restore another backup with --backup, or this one with --without-damaged-files';
  throw new DamagedPartError([...[...damaged].map(damageMessage), advice].join('\n'));
}
