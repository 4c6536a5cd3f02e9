/**
 * Opens the store that the settings name: the disk of the home directory, or a bucket. Counts what
 * the process does with it.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCloudFront, parseCdnUrl } from './cloudfront.ts';
import { openDiskStorage } from './disk.ts';
import { parseS3Url } from './s3-settings.ts';
import {
  type OpenedStorage,
  type Storage,
  type StorageCounts,
  StorageError,
  type StorageOperation,
  type StorageOptions,
  type StoredFile,
  storageMarkName,
  type UncountedStorage,
} from './storage.ts';

/** Throws `ConfigError` if the bucket cannot be used. */
export async function openStorage(options: StorageOptions): Promise<OpenedStorage> {
  const { url, folder } = options;
  const opened = url === null ? await openDisk(folder) : await openBucketAt(url, options);
  return { ...opened, ...countStorage(opened.storage) };
}

/** Without a bucket, nothing of its client is loaded. */
async function openBucketAt(url: string, options: StorageOptions): Promise<UncountedStorage> {
  const { openBucket } = await import('./s3-bucket.ts');
  const settings = parseS3Url(url);
  const bucket = await openBucket(settings, options);
  if (options.cdnUrl === null) return bucket;
  const cdn = parseCdnUrl(options.cdnUrl);
  const presign = await openCloudFront(cdn, settings.prefix);
  return { ...bucket, presign, publicOrigin: new URL(cdn.base).origin };
}

async function openDisk(folder: string): Promise<UncountedStorage> {
  return {
    storage: await openDiskStorage(folder),
    place: folder,
    setting: 'VIDGEN_HOME',
    probe: () => probeDisk(folder),
    readMark: () => readStorageMark(folder),
    async freeBytes() {
      const found = await statfs(folder).catch(() => null);
      return found && found.bavail * found.bsize;
    },
    presign: null,
    publicOrigin: null,
    close: () => {},
  };
}

function countStorage(storage: Storage): { storage: Storage; counts: StorageCounts } {
  const bytes = { put: 0, read: 0 };
  const errors = new Map<string, number>();
  const countError = (operation: StorageOperation, error: unknown) => {
    const name = `${operation} ${error instanceof StorageError ? error.kind : 'other'}`;
    errors.set(name, (errors.get(name) ?? 0) + 1);
  };
  const counted = async <T>(operation: StorageOperation, work: Promise<T>): Promise<T> =>
    await work.catch((error) => {
      countError(operation, error);
      throw error;
    });
  const countReads = (file: StoredFile): StoredFile => ({
    ...file,
    read(range) {
      bytes.read += range ? range.end - range.start + 1 : file.bytesTotal;
      return file.read(range).once('error', (error) => countError('read', error));
    },
  });
  const countedStorage: Storage = {
    ...storage,
    async put(content) {
      const stored = await counted('put', storage.put(content));
      bytes.put += stored.bytes;
      return stored;
    },
    async open(key) {
      const file = await counted('open', storage.open(key));
      return file && countReads(file);
    },
    remove: (keys) => counted('remove', storage.remove(keys)),
    async *list(prefix) {
      try {
        yield* storage.list(prefix);
      } catch (error) {
        countError('list', error);
        throw error;
      }
    },
  };
  const counts: StorageCounts = {
    bytes,
    errors: () =>
      [...errors].map(([name, count]) => {
        const [operation, kind] = name.split(' ') as [StorageOperation, string];
        return { operation, kind, count };
      }),
  };
  return { storage: countedStorage, counts };
}

/** What PostgreSQL needs for its next log file, and a little more. */
const freeBytesMin = 64 * 1024 ** 2;

/** Throws the error of the first step that fails. */
async function probeDisk(folder: string): Promise<void> {
  // No key can start with a dot, so the file is never mistaken for a result.
  const file = join(folder, `.probe-${randomUUID()}`);
  try {
    await writeFile(file, 'probe', { mode: 0o600, flush: true });
    await readFile(file);
  } finally {
    await rm(file, { force: true });
  }
}

export async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < freeBytesMin;
}

/** Returns the mark; writes one if the folder has none. Of two processes at once, one writes it. */
export async function readStorageMark(folder: string): Promise<string> {
  const path = join(folder, storageMarkName);
  const own = join(folder, `${storageMarkName}.${randomUUID()}`);
  try {
    await writeFile(own, `${randomUUID()}\n`, { mode: 0o600, flush: true });
    // A link, unlike a write, is there completely or not at all, and never replaces another.
    await link(own, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(own, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}
