/** The rows of a backup, verified as they are read. */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { StoredDatabase } from '../database/load.ts';
import type { BackupStore } from './backup-store.ts';
import { type Manifest, tablePath } from './manifest.ts';
import { DamagedPartError, type Part, verified } from './part.ts';

export const partOf = ({ bytes, sha256 }: Part): Part => ({ bytes, sha256 });

/** The stream fails with `DamagedPartError` if it is not what was backed up. */
export async function readPart(store: BackupStore, path: string, part: Part): Promise<Readable> {
  const stream = await store.read(path);
  return Readable.from(verified(stream ?? [], { name: path, part }));
}

/** Whether a part is what was backed up. */
export async function isWhole(store: BackupStore, path: string, part: Part): Promise<boolean> {
  try {
    for await (const _chunk of await readPart(store, path, part));
    return true;
  } catch (error) {
    if (error instanceof DamagedPartError) return false;
    throw error;
  }
}

export function storedDatabase(store: BackupStore, manifest: Manifest): StoredDatabase {
  const { id, migrations, tables, sequences } = manifest;
  let rows = 0;
  return {
    migrations,
    tables,
    readSequences: async () => sequences,
    countRead: async () => rows,
    async read({ name }) {
      const table = tables.find((one) => one.name === name)!;
      rows = table.rows;
      const gunzip = createGunzip();
      const source = await readPart(store, tablePath(id, name), partOf(table));
      return source.on('error', (error) => gunzip.destroy(error)).pipe(gunzip);
    },
  };
}
