/**
 * Results and uploads in a bucket. A key holds a complete object or none, and a read never mixes
 * two versions of it. Reads that break off are continued where they ended.
 */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { S3Client } from './s3-client.ts';
import {
  type ByteRange,
  isKey,
  isPrefix,
  parseKey,
  type Storage,
  type StoredContent,
  type StoredEntry,
  type StoredFile,
} from './storage.ts';
import { StorageError } from './storage-error.ts';

const removalsMax = 8;
/** Connections that end early in a row, without a byte in between. */
const readFailuresMax = 3;

export const createS3Storage = (client: S3Client): Storage => ({
  put: (stored) => put(client, stored),
  open: (key) => openObject(client, key),
  remove: (keys) => remove(client, keys),
  list: (prefix) => list(client, prefix),
  deletePartialFiles: (since) => deleteOpenUploads(client, since),
});

async function put(client: S3Client, stored: StoredContent): Promise<{ bytes: number }> {
  const { key, contentType, isNew = false, sha256, signal } = stored;
  assert.equal(
    contentType,
    parseKey(key).contentType,
    `content type does not match the name ${key}`,
  );
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
