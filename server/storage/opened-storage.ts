/** An open store with what only its kind knows: its place, its probe and its presigned URLs. */
import type { StorageCounts } from './counted-storage.ts';
import type { Storage } from './storage.ts';

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
  /** Of the URLs that `presign` returns. */
  readonly publicOrigin: string | null;
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
  /** Of VIDGEN_STORAGE_CDN_URL; null redirects to the bucket itself. */
  readonly cdnUrl: string | null;
  /** On the disk, for a store without a URL. */
  readonly folder: string;
  /** The variables of the AWS clients. */
  readonly credentials: Readonly<Record<string, string | undefined>>;
  /** Of the installation: a bucket keeps the files of one, because each deletes orphans. */
  readonly owner: string;
};

/** A store before it is counted. */
export type UncountedStorage = Omit<OpenedStorage, 'counts'>;
