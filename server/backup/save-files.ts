/**
 * Copies the files that a snapshot of the database refers to, after the snapshot was taken. Files
 * are never changed under their key, so what is copied belongs to the snapshot; a file that was
 * deleted since is recorded as missing.
 */
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Queryable } from '../database/database.ts';
import { isKey, type Storage } from '../storage/storage.ts';
import { isUploadKey } from '../storage/upload-urls.ts';
import { findStoredResults } from '../tasks/store.ts';
import type { BackupStore } from './backup-store.ts';
import { filePath, listPath, type Manifest, StoredKey } from './manifest.ts';
import { DamagedPartError, damageMessage } from './part.ts';
import { isWhole, partOf, readPart } from './stored-database.ts';

/** How many files are copied at once: a remote store spends most of the time waiting. */
const copiesMax = 8;
/** A line has one key, its size and its digest. */
const lineCharactersMax = 1_000;
/** More are counted, but not named. */
const lostNamedMax = 100;

export type SaveFilesOptions = {
  readonly store: BackupStore;
  readonly id: string;
  readonly storage: Storage;
  /** The database as it is now. */
  readonly db: Queryable;
  readonly resultKeys: readonly string[];
  /** The newest complete backup in the same store, whose files need not be copied again. */
  readonly previous: Manifest | null;
  readonly print: (line: string) => void;
};

export type SavedFiles = Manifest['files'] & { readonly copied: number };

export async function saveFiles(options: SaveFilesOptions): Promise<SavedFiles> {
  const { store, id, storage, resultKeys, previous } = options;
  const known = previous ? await readKnownFiles(store, previous) : new Map<string, StoredKey>();
  const saved: StoredKey[] = [];
  const missing: string[] = [];
  let copied = 0;
  await forEachAtOnce(keysToSave(storage, resultKeys), async (key) => {
    const file = isKey(key) ? await storage.open(key) : null;
    if (!file) return void missing.push(key);
    const before = known.get(key);
    if (previous && before?.bytes === file.bytesTotal) {
      const earlier = filePath(previous.id, key);
      const path = filePath(id, key);
      const isReused = await store.reuse(earlier, path);
      if (isReused && (await isWhole(store, path, partOf(before)))) {
        await file.close();
        return void saved.push(before);
      }
      // The write below replaces the link, and leaves the damaged file to the earlier backup.
      if (isReused) options.print(`  ${damageMessage(earlier)}; copied again`);
    }
    saved.push({ key, ...(await store.write(filePath(id, key), file.read())) });
    copied += 1;
  });
  const lines = saved.map((file) => `${JSON.stringify(file)}\n`);
  const list = await store.write(listPath(id), Readable.from(lines).pipe(createGzip()));
  const lost = await findLost(options.db, missing);
  return {
    count: saved.length,
    bytes: saved.reduce((total, { bytes }) => total + bytes, 0),
    list,
    expired: missing.length - lost.length,
    lost: lost.slice(0, lostNamedMax),
    copied,
  };
}

/** Results of the snapshot, and all uploads: tasks refer to those by URL. */
async function* keysToSave(storage: Storage, resultKeys: readonly string[]) {
  yield* resultKeys;
  for await (const { key } of storage.list('')) if (isUploadKey(key)) yield key;
}

/** Reads the list of a backup's files. Throws `DamagedPartError` if it is not what was written. */
export async function* readFileList(
  store: BackupStore,
  { id, files }: Manifest,
): AsyncGenerator<StoredKey> {
  const path = listPath(id);
  // Before it is decompressed, which fails in other ways.
  if (!(await isWhole(store, path, files.list))) throw new DamagedPartError(damageMessage(path));
  const gunzip = createGunzip();
  const content = await readPart(store, path, files.list);
  const source = content.on('error', (error) => gunzip.destroy(error));
  let rest = '';
  for await (const chunk of source.pipe(gunzip).setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop()!;
    if (rest.length > lineCharactersMax) throw new DamagedPartError(damageMessage(path));
    for (const line of lines) yield StoredKey.parse(JSON.parse(line));
  }
}

async function readKnownFiles(
  store: BackupStore,
  previous: Manifest,
): Promise<Map<string, StoredKey>> {
  const known = new Map<string, StoredKey>();
  try {
    for await (const file of readFileList(store, previous)) known.set(file.key, file);
  } catch {
    // A damaged list: everything is copied again.
    return new Map();
  }
  return known;
}

/** Those of tasks that should still have them: not expired, and not deleted. */
async function findLost(db: Queryable, keys: readonly string[]): Promise<string[]> {
  const taskOf = (key: string) => key.split('/')[0]!;
  const stored = await findStoredResults(db, keys.map(taskOf));
  return keys.filter((key) => stored.has(taskOf(key)));
}

async function forEachAtOnce<T>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const workers = Array.from({ length: copiesMax }, async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      await work(next.value);
    }
  });
  await Promise.all(workers);
}
