/**
 * Results on the local disk. A file is synced and then renamed to its key: readers see the old file
 * or the new one, and a full disk leaves no partial file.
 */

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, fsync, open as openWithCallback } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Batcher } from '../database/batcher.ts';
import { saveStream } from '../egress/save-stream.ts';
import {
  damagedContent,
  isKey,
  isPrefix,
  isStorageError,
  parseKey,
  requireKeyType,
  type Storage,
  StorageError,
  type StorageErrorKind,
  type StoredContent,
  type StoredEntry,
  type StoredFile,
} from './storage.ts';

/** Copies in progress. No key can start with a dot, so this folder is never mistaken for a task. */
const incomingName = '.incoming';
const privateMode = 0o600;

/** Creates the folder if it is missing. */
export async function openDiskStorage(folder: string): Promise<Storage> {
  const incoming = join(folder, incomingName);
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const root = await realpath(folder);
  // Puts at the same time share a sync, which begins after they have changed the folder.
  const rootSyncs = new Batcher<string, string>({
    async run(keys) {
      await syncFolder(folder);
      return keys;
    },
    itemsMax: Number.POSITIVE_INFINITY,
    inFlightMax: 1,
  });
  const syncFolders = async (key: string) => {
    const attemptFolder = dirname(join(folder, key));
    const below = [attemptFolder, dirname(attemptFolder)].map(syncFolder);
    await Promise.all([...below, rootSyncs.add(key)]);
  };
  const disk: Disk = { folder, syncFolders, canMove: true };
  return {
    put: (file) => put(disk, file),
    open: (key) => openFile(root, key),
    remove: (keys) => remove(folder, keys),
    list: (prefix) => list(folder, prefix),
    deletePartialFiles: (since) => deletePartialFiles(incoming, since),
  };
}

type Disk = {
  readonly folder: string;
  /** The directory entries of file, attempt and task must also survive a power failure. */
  readonly syncFolders: (key: string) => Promise<void>;
  /** False once a move has failed because files come from another disk. */
  canMove: boolean;
};

const copyFlags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

async function put(disk: Disk, stored: StoredContent): Promise<{ bytes: number; moved: boolean }> {
  const { folder, syncFolders } = disk;
  const { key, sha256, isNew = false, signal } = stored;
  requireKeyType(stored);
  // A unique name: two workers that put the same key must not write to the same copy.
  const copy = join(folder, incomingName, randomUUID());
  const moved = 'file' in stored && stored.mayMove && disk.canMove ? stored : null;
  const source = moved?.file ?? copy;
  try {
    let bytes: number | undefined;
    if ('content' in stored) {
      bytes = await saveStream(stored.content, copy, { isSynced: true });
    } else if (moved === null) {
      await copyFile(stored.file, copy, copyFlags);
    }
    signal?.throwIfAborted();
    if (sha256 !== undefined && (await digestOf(source)) !== sha256) throw damagedContent(key);
    const written = moved?.written;
    await written?.opened.sync();
    bytes ??= written?.bytes ?? (await syncFile(source));
    await moveInto(source, join(folder, key), { isNew });
    await syncFolders(key);
    return { bytes, moved: moved !== null };
  } catch (error) {
    if (moved !== null && isCode(error, 'EXDEV')) {
      disk.canMove = false;
      return await put(disk, stored);
    }
    // A copy that cannot be deleted now is swept later; the first error is the one to throw.
    await rm(copy, { force: true }).catch(() => {});
    await removeEmptyFolders(folder, key).catch(() => {});
    throw diskError(error);
  }
}

/** Through one buffer: V8 would collect those of a stream only after 64 MiB of them. */
async function digestOf(path: string): Promise<string> {
  await using handle = await open(path, 'r');
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(256 * 1024);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

async function syncFile(path: string): Promise<number> {
  await using handle = await open(path, 'r+');
  const { mode, size } = await handle.stat();
  if ((mode & 0o777) !== privateMode) await chmod(path, privateMode);
  await handle.sync();
  return size;
}

async function moveInto(
  copy: string,
  target: string,
  { isNew }: { readonly isNew: boolean },
): Promise<void> {
  for (let retriesLeft = 3; ; retriesLeft--) {
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      if (!isNew) return await rename(copy, target);
      // A link, unlike a rename, never replaces another file.
      await link(copy, target);
      return await rm(copy);
    } catch (error) {
      // `remove` deletes empty folders and may have deleted one of these just now.
      if (!isCode(error, 'ENOENT') || retriesLeft === 0) throw error;
    }
  }
}

const openDescriptor = promisify(openWithCallback);
const sync = promisify(fsync);

/** Three for each put: a descriptor takes half of the processor time of a `FileHandle`. */
async function syncFolder(path: string): Promise<void> {
  const descriptor = await openDescriptor(path, 'r').catch(ignore('ENOENT'));
  if (descriptor === undefined) return;
  try {
    await sync(descriptor);
  } finally {
    // Does not wait for the disk: nothing is written when a folder is closed.
    closeSync(descriptor);
  }
}

/**
 * The root may be a link to a larger disk. Nothing below it is a link we created, so links there
 * are not followed.
 */
async function openFile(root: string, key: string): Promise<StoredFile | null> {
  const { contentType } = parseKey(key);
  const path = join(root, key);
  const found = await realpath(path).catch(ignore('ENOENT', 'ELOOP'));
  if (found !== path) return null;
  const handle = await open(path, 'r').catch(ignore('ENOENT'));
  if (!handle) return null;
  const { ino, mtimeNs, size } = await handle.stat({ bigint: true });
  return {
    bytesTotal: Number(size),
    contentType,
    etag: `"${[ino, mtimeNs, size].map((part) => part.toString(36)).join('-')}"`,
    // The open handle outlives the file name: a download finishes after the result expires.
    read: (range) => handle.createReadStream({ ...range, autoClose: true }),
    close: () => handle.close(),
  };
}

async function remove(folder: string, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    parseKey(key);
    await rm(join(folder, key), { force: true });
    await removeEmptyFolders(folder, key);
  }
}

async function removeEmptyFolders(folder: string, key: string): Promise<void> {
  const attemptFolder = dirname(join(folder, key));
  for (const path of [attemptFolder, dirname(attemptFolder)]) {
    await rmdir(path).catch(ignore('ENOENT', 'ENOTEMPTY', 'EEXIST'));
  }
}

async function* list(folder: string, prefix: string): AsyncGenerator<StoredEntry> {
  assert(isPrefix(prefix), `not a key prefix: ${JSON.stringify(prefix)}`);
  const names = await readdir(join(folder, prefix)).catch(ignore('ENOENT', 'ENOTDIR'));
  for (const name of names ?? []) {
    const path = prefix + name;
    if (isPrefix(`${path}/`)) yield* list(folder, `${path}/`);
    if (!isKey(path)) continue;
    const found = await stat(join(folder, path)).catch(ignore('ENOENT'));
    if (found) yield { key: path, bytes: found.size, modifiedAt: found.mtime };
  }
}

async function deletePartialFiles(
  incoming: string,
  { untouchedSinceMs }: { readonly untouchedSinceMs: number },
): Promise<number> {
  let removed = 0;
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(ignore('ENOENT'));
    if (!found || found.mtimeMs > untouchedSinceMs) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

const kinds: Readonly<Record<string, StorageErrorKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EACCES: 'not_allowed',
  EPERM: 'not_allowed',
  EROFS: 'not_allowed',
  EEXIST: 'exists',
  EIO: 'unreachable',
  ESTALE: 'unreachable',
  ETIMEDOUT: 'unreachable',
};

const remedies: Partial<Readonly<Record<StorageErrorKind, string>>> = {
  full: 'free space on the disk of VIDGEN_HOME or raise its quota',
  not_allowed: 'let the user of the service write to VIDGEN_HOME',
  exists: 'another writer was first',
  unreachable: 'check the disk that VIDGEN_HOME is on',
};

/** Errors of the disk as those of any store; all others as they are. */
function diskError(error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const kind = kinds[code];
  if (kind === undefined || isStorageError(error)) return error;
  return new StorageError(kind, { code, message: `${message}; ${remedies[kind]}`, cause: error });
}

const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');

/** For `catch`: returns undefined for these error codes and rethrows any other error. */
const ignore =
  (...codes: string[]) =>
  (error: unknown): undefined => {
    if (!isCode(error, ...codes)) throw error;
  };
