/**
 * Storage of results and uploads, and what every implementation guarantees: a key holds a complete
 * file or none, a failed put leaves nothing behind, and a put can be repeated at any time.
 */
import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import type { NewFile } from '../egress/save-stream.ts';

/**
 * Types of results and uploads. The file name in the key implies the type, so no store has to save
 * it.
 */
const contentTypes = {
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  bmp: 'image/bmp',
  heic: 'image/heic',
  avif: 'image/avif',
  tiff: 'image/tiff',
  jxl: 'image/jxl',
  mkv: 'video/x-matroska',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
} as const;
type Extension = keyof typeof contentTypes;
type StoredContentType = (typeof contentTypes)[Extension];

/** Also prevents path traversal: three plain parts, none of which can start with a dot. */
const taskPart = '[a-z0-9][a-z0-9_]{0,63}';
const attemptPart = '[1-9][0-9]{0,8}';
const namePart = `[a-z0-9][a-z0-9-]{0,63}\\.(?:${Object.keys(contentTypes).join('|')})`;
const keyPattern = new RegExp(`^${taskPart}/${attemptPart}/${namePart}$`);
const prefixPattern = new RegExp(`^(?:${taskPart}/(?:${attemptPart}/)?)?$`);

/** Both ends are inclusive, as in HTTP. */
export type ByteRange = { readonly start: number; readonly end: number };

/** An open file. What is being read can be read to its end even if it is removed meanwhile. */
export interface StoredFile {
  readonly bytesTotal: number;
  readonly contentType: StoredContentType;
  /** A strong etag with quotes; different content under the same key has a different one. */
  readonly etag: string;
  /** Can be called once. The file is closed when the stream ends or is destroyed. */
  read(range?: ByteRange): Readable;
  /** For a file that is not read. */
  close(): Promise<void>;
}

export type StoredEntry = {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
};

export type StoredContent = {
  readonly key: string;
  readonly contentType: string;
  /** Fails with `exists` if the key has a file already. */
  readonly isNew?: boolean;
  /** In hex. A content with another digest fails as `damaged`, and is not stored. */
  readonly sha256?: string;
  readonly signal?: AbortSignal;
} /** `mayMove`: the file may be moved instead of copied; a failed put may delete it. */ & (
  | {
      readonly file: string;
      readonly mayMove?: boolean;
      /** The file, still open, and its length: it is private, and need not be synced yet. */
      readonly written?: { readonly opened: NewFile; readonly bytes: number };
    }
  /** Of any length, which need not be known. */
  | { readonly content: AsyncIterable<Uint8Array> }
);

export interface Storage {
  /**
   * Stores the content under the key, in place of what is there. After it returns, the file
   * survives a power failure; if it throws, nothing partial remains and the put can be repeated. A
   * failure of the store is a `StorageError`. The caller deletes a local file that was not moved.
   */
  put(stored: StoredContent): Promise<{ readonly bytes: number; readonly moved?: boolean }>;
  /** Null if there is no such file, or no longer. */
  open(key: string): Promise<StoredFile | null>;
  /** Ignores keys that do not exist. */
  remove(keys: readonly string[]): Promise<void>;
  /** Lists everything below `''`, `<task id>/` or `<task id>/<attempt>/`, for the sweep. */
  list(prefix: string): AsyncIterable<StoredEntry>;
  /** Deletes what interrupted puts left behind before then; returns how many. */
  deletePartialFiles(since: { readonly untouchedSinceMs: number }): Promise<number>;
}

type ResultKey = {
  readonly taskId: string;
  /**
   * The task's attempt at a provider: a later attempt never overwrites the files of an earlier one.
   */
  readonly attempt: number;
  readonly name: string;
};

export function resultKey({ taskId, attempt, name }: ResultKey): string {
  const key = `${taskId}/${attempt}/${name}`;
  parseKey(key);
  return key;
}

/**
 * Splits a key. Keys are built by this service, so an invalid key is a bug; it throws before it
 * reaches the disk.
 */
export function parseKey(key: string): ResultKey & { readonly contentType: StoredContentType } {
  assert(isKey(key), `not a storage key: ${JSON.stringify(key)}`);
  const [taskId, attempt, name] = key.split('/') as [string, string, string];
  const contentType = contentTypes[name.split('.')[1] as Extension];
  return { taskId, attempt: Number(attempt), name, contentType };
}

/** Throws unless the content has the type that its key says: anything else is a bug. */
export function requireKeyType({ key, contentType }: StoredContent): void {
  const expected = parseKey(key).contentType;
  assert.equal(contentType, expected, `content type does not match the name ${key}`);
}

/** Anything else was not stored by this service; listings skip it. */
export const isKey = (path: string): boolean => keyPattern.test(path);
export const isPrefix = (path: string): boolean => prefixPattern.test(path);

/** The content type of a file extension; null for types that are not stored. */
export const contentTypeOf = (extension: string): StoredContentType | null =>
  contentTypes[extension as Extension] ?? null;

/**
 * `exists`: a conditional put found another file. `damaged`: the content is not what was announced.
 * `failed`: anything else that the store reports.
 */
export type StorageErrorKind =
  | 'not_found'
  | 'not_allowed'
  | 'throttled'
  | 'unreachable'
  | 'full'
  | 'exists'
  | 'damaged'
  | 'failed';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;
  /** The code of the operating system or of the store, such as `ENOSPC` or `SlowDown`. */
  readonly code: string;

  constructor(
    kind: StorageErrorKind,
    { code, message, cause }: { code: string; message: string; cause?: unknown },
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.code = code;
  }
}

export const isStorageError = (error: unknown, ...kinds: StorageErrorKind[]): boolean =>
  error instanceof StorageError && (kinds.length === 0 || kinds.includes(error.kind));

/** The content does not match its digest. */
export const damagedContent = (key: string): StorageError =>
  new StorageError('damaged', {
    code: 'DigestMismatch',
    message: `${key} was not stored: its content has another SHA-256 than announced; send it again`,
  });

export type StorageOperation = 'put' | 'open' | 'read' | 'remove' | 'list';

export type StorageCounts = {
  /** Bytes written, and bytes requested by readers. */
  readonly bytes: Record<'put' | 'read', number>;
  /** By operation and kind; `other` are errors that are not the store's. */
  errors(): {
    readonly operation: StorageOperation;
    readonly kind: string;
    readonly count: number;
  }[];
};

/** An open store with what only its kind knows: its place, its probe and its presigned URLs. */
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

/**
 * The name of the mark by which processes notice that they do not share a store. No key can start
 * with a dot, so it is never mistaken for a result.
 */
export const storageMarkName = '.storage-id';
