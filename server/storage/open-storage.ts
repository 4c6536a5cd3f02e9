/** Opens the store that the settings name: the disk of the home directory, or a bucket. */
import { statfs } from 'node:fs/promises';
import { countStorage, type StorageCounts } from './counted-storage.ts';
import { openDiskStorage } from './disk.ts';
import { probeDisk } from './probe-disk.ts';
import { openBucket } from './s3-bucket.ts';
import { parseS3Url } from './s3-settings.ts';
import type { Storage } from './storage.ts';
import { readStorageMark } from './storage-mark.ts';

export type OpenedStorage = {
  readonly storage: Storage;
  /** Where files are, for people, and the setting that says so. */
  readonly place: string;
  readonly setting: 'VIDGEN_HOME' | 'VIDGEN_STORAGE_URL';
  /** Throws if files cannot be stored or read at the moment. */
  probe(): Promise<void>;
  /** The same for all processes that share the store; see `require-storage.ts`. */
  readMark(): Promise<string>;
  /** Null where there is no limit to know of. */
  freeBytes(): Promise<number | null>;
  readonly counts: StorageCounts;
  /** Null where clients cannot fetch files from the store itself. */
  readonly presign: PresignFile | null;
  close(): void;
};

/** Returns a URL at the store, for one method and so many seconds, without a check of the file. */
export type PresignFile = (file: {
  readonly key: string;
  readonly method: 'GET' | 'HEAD';
  readonly seconds: number;
  readonly fileName: string;
}) => Promise<string>;

export type StorageOptions = {
  /** Of VIDGEN_STORAGE_URL; null is the disk. */
  readonly url: string | null;
  /** On the disk, for a store without a URL. */
  readonly folder: string;
  /** The variables of the AWS clients. */
  readonly credentials: Readonly<Record<string, string | undefined>>;
  /** Of the installation: a bucket keeps the files of one, because each deletes orphans. */
  readonly owner: string;
};

/** Throws `ConfigError` if the bucket cannot be used. */
export async function openStorage(options: StorageOptions): Promise<OpenedStorage> {
  const { url, folder, credentials, owner } = options;
  const opened =
    url === null
      ? await openDisk(folder)
      : await openBucket(parseS3Url(url), { credentials, owner });
  return { ...opened, ...countStorage(opened.storage) };
}

/** A store before it is counted. */
export type UncountedStorage = Omit<OpenedStorage, 'counts'>;

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
    close: () => {},
  };
}
