/**
 * Results and uploads in a bucket. A key holds a complete object or none, and a read never mixes
 * two versions of it. At the start a file is stored, read and removed, so that missing rights are
 * reported before the first video is made.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ConfigError } from '../config/config.ts';
import { disposition } from './range.ts';
import { createS3Client, type S3Client } from './s3-client.ts';
import { createCredentialSource } from './s3-credentials.ts';
import { placeOf, type S3Settings, s3Location } from './s3-settings.ts';
import {
  type ByteRange,
  isKey,
  isPrefix,
  isStorageError,
  type PresignFile,
  parseKey,
  requireKeyType,
  type Storage,
  StorageError,
  type StorageOptions,
  type StoredContent,
  type StoredEntry,
  type StoredFile,
  storageMarkName,
  type UncountedStorage,
} from './storage.ts';

/** No key can start with a dot, so these objects are never mistaken for results. */
const ownerName = '.owner';
const probeName = '.probe';

export async function openBucket(
  settings: S3Settings,
  { credentials, owner }: Pick<StorageOptions, 'credentials' | 'owner'>,
): Promise<UncountedStorage> {
  const client = createS3Client({ settings, credentials: createCredentialSource(credentials) });
  try {
    await requireRights(client);
    await requireOwner(client, { owner, place: placeOf(settings) });
  } catch (error) {
    client.close();
    if (!isStorageError(error)) throw error;
    throw new ConfigError([`VIDGEN_STORAGE_URL: ${(error as Error).message}`]);
  }
  return {
    storage: createS3Storage(client),
    place: placeOf(settings),
    setting: 'VIDGEN_STORAGE_URL',
    probe: () => requireMark(client),
    readMark: () => readOrSet(client, storageMarkName, randomUUID()),
    freeBytes: async () => null,
    presign: (file) => presign(client, file),
    publicOrigin: s3Location(settings, settings.publicEndpoint).origin,
    close: () => client.close(),
  };
}

async function requireRights(client: S3Client): Promise<void> {
  const key = `${probeName}-${randomUUID()}`;
  await client.put({ key, content: contentOf('probe') });
  const stored = await client.get(key);
  await stored?.toArray();
  await client.remove(key);
  for await (const _ of client.list(probeName)) break;
  for await (const _ of client.listUploads(probeName)) break;
}

/** Another installation on the same prefix would delete our results as orphans, and we its. */
async function requireOwner(
  client: S3Client,
  { owner, place }: { readonly owner: string; readonly place: string },
): Promise<void> {
  if ((await readOrSet(client, ownerName, owner)) === owner) return;
  throw new ConfigError([
    `VIDGEN_STORAGE_URL: ${place} belongs to another installation, and each would delete the ` +
      `files of the other; use another prefix, or delete ${place}${ownerName} if the other one ` +
      'is gone',
  ]);
}

/** Of two processes that write at once, one wins, and both return its text. */
async function readOrSet(client: S3Client, key: string, value: string): Promise<string> {
  const known = await client.get(key);
  if (known) return (await text(known)).trim();
  const put = (isNew: boolean) => client.put({ key, content: contentOf(`${value}\n`), isNew });
  try {
    await put(true);
  } catch (error) {
    // Some stores have no conditions; then only two first starts at once could disagree.
    if ((error as StorageError).code === 'NotImplemented') await put(false);
    else if (!isStorageError(error, 'exists')) throw error;
  }
  const stored = await client.get(key);
  return stored ? (await text(stored)).trim() : value;
}

/** One request that costs little: the mark is there as long as the bucket is the same. */
async function requireMark(client: S3Client): Promise<void> {
  if (await client.head(storageMarkName)) return;
  const message = `${storageMarkName} is missing in the bucket; it was emptied or replaced`;
  throw new StorageError('not_found', { code: 'NoSuchKey', message });
}

const presign = (
  client: S3Client,
  { key, method, seconds, fileName }: Parameters<PresignFile>[0],
): Promise<string> => {
  const query = {
    'response-content-type': parseKey(key).contentType,
    'response-content-disposition': disposition(fileName),
    'response-cache-control': 'private',
  };
  return client.presign({ method, key, seconds, query });
};

async function* contentOf(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}

const removalsMax = 8;
/** Connections that end early in a row, without a byte in between. */
const readFailuresMax = 3;

/** Reads that break off are continued where they ended. */
export const createS3Storage = (client: S3Client): Storage => ({
  put: (stored) => put(client, stored),
  open: (key) => openObject(client, key),
  remove: (keys) => remove(client, keys),
  list: (prefix) => list(client, prefix),
  deletePartialFiles: (since) => deleteOpenUploads(client, since),
});

async function put(client: S3Client, stored: StoredContent): Promise<{ bytes: number }> {
  const { key, contentType, isNew = false, sha256, signal } = stored;
  requireKeyType(stored);
  const content = 'content' in stored ? stored.content : readFile(stored.file);
  const { bytes } = await client.put({ key, content, contentType, isNew, sha256, signal });
  return { bytes };
}

/** Opens the file when it is its turn: one that is missing then fails the put. */
async function* readFile(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path);
}

async function openObject(client: S3Client, key: string): Promise<StoredFile | null> {
  const { contentType } = parseKey(key);
  const found = await client.head(key);
  if (!found) return null;
  const { bytes, etag } = found;
  return {
    bytesTotal: bytes,
    contentType,
    etag,
    read: (range = { start: 0, end: bytes - 1 }) => readRange(client, { key, etag, range }),
    close: async () => {},
  };
}

type ObjectRange = { readonly key: string; readonly etag: string; readonly range: ByteRange };

function readRange(client: S3Client, object: ObjectRange): Readable {
  if (object.range.end < object.range.start) return Readable.from([]);
  const abort = new AbortController();
  const chunks = readChunks(client, object, abort.signal);
  // A generator that waits for the store does not notice that its stream was destroyed.
  return Readable.from(chunks, { objectMode: false }).once('close', () => abort.abort());
}

async function* readChunks(
  client: S3Client,
  { key, etag, range }: ObjectRange,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let { start } = range;
  for (let failures = 0; start <= range.end; ) {
    const part = { range: `bytes=${start}-${range.end}`, ifMatch: etag, signal };
    const response = await client.get(key, part);
    if (!response) throw goneWhileRead(key);
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        start += chunk.length;
        failures = 0;
        yield chunk;
      }
    } catch (error) {
      failures += 1;
      if (signal.aborted || failures >= readFailuresMax) throw error;
    } finally {
      response.destroy();
    }
  }
}

const goneWhileRead = (key: string): StorageError =>
  new StorageError('not_found', {
    code: 'NoSuchKey',
    message: `${key} was removed or replaced while it was read; read it again`,
  });

/** One request each: the request for many at once differs among stores. */
async function remove(client: S3Client, keys: readonly string[]): Promise<void> {
  for (const key of keys) parseKey(key);
  for (let at = 0; at < keys.length; at += removalsMax) {
    await Promise.all(keys.slice(at, at + removalsMax).map((key) => client.remove(key)));
  }
}

async function* list(client: S3Client, prefix: string): AsyncGenerator<StoredEntry> {
  assert(isPrefix(prefix), `not a key prefix: ${JSON.stringify(prefix)}`);
  for await (const entry of client.list(prefix)) {
    if (isKey(entry.key)) yield entry;
  }
}

async function deleteOpenUploads(
  client: S3Client,
  { untouchedSinceMs }: { readonly untouchedSinceMs: number },
): Promise<number> {
  let removed = 0;
  for await (const upload of client.listUploads('')) {
    // Other programs may keep something else below the same prefix.
    if (!isKey(upload.key) || upload.startedAt.getTime() > untouchedSinceMs) continue;
    await client.abortUpload(upload);
    removed += 1;
  }
  return removed;
}
