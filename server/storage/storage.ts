/**
 * Where results and uploads live, and what any store of them must promise. A key holds a whole file
 * or none: a put that failed leaves nothing behind, and the same put may be done again at any time.
 */
import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';

/** What a result may be. The name in the key tells the type, so no store has to remember it. */
const resultTypes = {
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
} as const;
/** And what an upload may be besides. */
const contentTypes = {
  ...resultTypes,
  gif: 'image/gif',
  bmp: 'image/bmp',
  mkv: 'video/x-matroska',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
} as const;
type Extension = keyof typeof contentTypes;
export type StoredContentType = (typeof contentTypes)[Extension];

/** Also the guard against traversal: three plain parts, none of which can begin with a dot. */
const taskPart = '[a-z0-9][a-z0-9_]{0,63}';
const attemptPart = '[1-9][0-9]{0,8}';
const namePart = `[a-z0-9][a-z0-9-]{0,63}\\.(?:${Object.keys(contentTypes).join('|')})`;
const keyPattern = new RegExp(`^${taskPart}/${attemptPart}/${namePart}$`);
const prefixPattern = new RegExp(`^(?:${taskPart}/(?:${attemptPart}/)?)?$`);

/** Both ends are included, as in HTTP. */
export type ByteRange = { readonly start: number; readonly end: number };

/** A file held open: it can be read to its end even when it is removed meanwhile. */
export interface StoredFile {
  readonly bytesTotal: number;
  readonly contentType: StoredContentType;
  /** Strong, with its quotes: another content under the same key has another one. */
  readonly etag: string;
  /** Once. The file is closed when the stream has ended or was destroyed. */
  read(range?: ByteRange): Readable;
  /** For a file that is not read. */
  close(): Promise<void>;
}

export type StoredEntry = {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
};

export interface Storage {
  /**
   * Copies a local file in, over whatever the key held. When it returns, the file survives a power
   * cut; when it throws (a full disk, say), nothing half-written remains and it may be tried again.
   * The local file stays, and stays the caller's to delete.
   */
  put(file: {
    readonly key: string;
    readonly file: string;
    readonly contentType: string;
  }): Promise<{ readonly bytes: number }>;
  /** Null when there is no such file, or no longer. */
  open(key: string): Promise<StoredFile | null>;
  /** Removing what is not there is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Everything below `''`, `<task id>/` or `<task id>/<attempt>/`; for sweeping. */
  list(prefix: string): AsyncIterable<StoredEntry>;
  /** What is left of puts that died in the middle, untouched since then; answers how many. */
  deletePartialFiles(since: { readonly untouchedSinceMs: number }): Promise<number>;
}

export type ResultKey = {
  readonly taskId: string;
  /** The task's attempt at a provider: a later one never overwrites what an earlier one left. */
  readonly attempt: number;
  readonly name: string;
};

export function resultKey({ taskId, attempt, name }: ResultKey): string {
  const key = `${taskId}/${attempt}/${name}`;
  parseKey(key);
  return key;
}

/** The parts of a key. Keys are made by us: one of another shape is a bug and reaches no disk. */
export function parseKey(key: string): ResultKey & { readonly contentType: StoredContentType } {
  assert(isKey(key), `not a key of a result: ${JSON.stringify(key)}`);
  const [taskId, attempt, name] = key.split('/') as [string, string, string];
  const contentType = contentTypes[name.split('.')[1] as Extension];
  return { taskId, attempt: Number(attempt), name, contentType };
}

/** What is not a key or a prefix of keys was not put there by us; a listing passes it over. */
export const isKey = (path: string): boolean => keyPattern.test(path);
export const isPrefix = (path: string): boolean => prefixPattern.test(path);

/** The type that the ending of a name tells; null for what we do not keep. */
export const contentTypeOf = (extension: string): StoredContentType | null =>
  contentTypes[extension as Extension] ?? null;

/** The ending for a type a provider announced, or null for what is no result. */
export function extensionOf(contentType: string): string | null {
  const essence = contentType.split(';')[0]!.trim().toLowerCase();
  const found = Object.entries(resultTypes).find(([, type]) => type === essence);
  return found ? found[0] : null;
}
