/**
 * Single objects of a bucket. A put of any length is complete or leaves nothing: it is one request,
 * or parts that become visible with the last request and are deleted when a step fails.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { KeyedSemaphore } from '../egress/keyed-semaphore.ts';
import { startDeadline } from '../process/clock.ts';
import { elementText, escapeXml, type S3Connection, s3Error } from './s3-request.ts';
import {
  damagedContent,
  isStorageError,
  type StorageError,
  type StorageErrorKind,
} from './storage.ts';

/** Marks the object, so that a put whose response was lost can recognize its own. */
const putIdHeader = 'x-amz-meta-vidgen-put';
const abortMsMax = 10_000;

export type S3Head = {
  readonly bytes: number;
  readonly etag: string;
  readonly modifiedAt: Date;
  /** Of the put that stored it; see `putIdHeader`. */
  readonly putId: string | null;
};

/** An upload in parts that was neither completed nor aborted. */
export type S3Upload = {
  readonly key: string;
  readonly uploadId: string;
  readonly startedAt: Date;
};

export async function headObject(connection: S3Connection, key: string): Promise<S3Head | null> {
  const request = { operation: 'HeadObject', method: 'HEAD', key } as const;
  const found = await orNull(connection.send(request), 'not_found');
  if (!found) return null;
  const { headers } = found;
  const putId = headers[putIdHeader];
  return {
    bytes: Number(headers['content-length']),
    etag: headers.etag ?? '',
    modifiedAt: new Date(headers['last-modified'] ?? 0),
    putId: typeof putId === 'string' ? putId : null,
  };
}

/** Ignores a key that does not exist. */
export async function removeObject(connection: S3Connection, key: string): Promise<void> {
  const removed = connection.send({ operation: 'DeleteObject', method: 'DELETE', key });
  await orNull(removed, 'not_found');
}

/**
 * Deletes the parts; ignores an upload that does not exist. Has a time of its own: it runs when the
 * put was given up.
 */
export async function abortUpload(
  connection: S3Connection,
  { key, uploadId }: Pick<S3Upload, 'key' | 'uploadId'>,
): Promise<void> {
  using deadline = startDeadline(abortMsMax);
  const { signal } = deadline;
  const operation = 'AbortMultipartUpload';
  const query = { uploadId };
  await orNull(connection.send({ operation, method: 'DELETE', key, query, signal }), 'not_found');
}

/** Null instead of an error of one of these kinds; a missing bucket is always an error. */
export async function orNull<T>(work: Promise<T>, ...kinds: StorageErrorKind[]): Promise<T | null> {
  return await work.catch((error: StorageError) => {
    if (isStorageError(error, ...kinds) && error.code !== 'NoSuchBucket') return null;
    throw error;
  });
}

export type S3Put = {
  readonly key: string;
  /** Of any length, which need not be known. */
  readonly content: AsyncIterable<Uint8Array>;
  readonly contentType?: string;
  /** Throws a `StorageError` of the kind `exists` if there is an object under the key already. */
  readonly isNew?: boolean;
  /** In hex. Throws a `StorageError` of the kind `damaged` if the content has another digest. */
  readonly sha256?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type PutContext = {
  readonly connection: S3Connection;
  readonly putSlots: KeyedSemaphore;
  readonly partBytes: number;
};

/** One request for a small object; parts, one after the other, for a larger one. */
export async function putObject(
  context: PutContext,
  object: S3Put,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const { connection, putSlots, partBytes } = context;
  const { key, sha256: expected, signal = new AbortController().signal } = object;
  const hash = createHash('sha256');
  const putId = randomUUID();
  const parts = partsOf(object.content, partBytes);
  let uploadId: string | null = null;
  const etags: string[] = [];
  let bytes = 0;
  const verified = (): { bytes: number; sha256: string } => {
    const sha256 = hash.digest('hex');
    if (expected === undefined || expected === sha256) return { bytes, sha256 };
    throw damagedContent(key);
  };
  const release = await putSlots.acquire('puts', signal);
  try {
    for await (const part of parts) {
      hash.update(part.body);
      bytes += part.body.length;
      if (part.isLast && uploadId === null) {
        const stored = verified();
        await putWhole(connection, { ...object, signal }, { putId, body: part.body });
        return stored;
      }
      uploadId ??= await createUpload(connection, object, putId);
      const numbered = [etags.length + 1, part.body] as const;
      etags.push(await putPart(connection, { key, uploadId, signal }, numbered));
    }
    const stored = verified();
    const upload = { uploadId: uploadId!, etags, putId, bytes };
    await completeUpload(connection, { ...object, signal }, upload);
    return stored;
  } catch (error) {
    if (uploadId !== null) await abortUpload(connection, { key, uploadId }).catch(() => {});
    throw error;
  } finally {
    release();
  }
}

type Part = { readonly body: Buffer; readonly isLast: boolean };

/**
 * Equal parts but the last, as some stores require; one empty part for an empty content. Each part
 * is in the same memory as the one before: it is used up when the next one is asked for.
 */
async function* partsOf(
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Part, void, void> {
  const part = Buffer.allocUnsafeSlow(partBytes);
  let bytes = 0;
  for await (let chunk of content) {
    while (bytes + chunk.length > partBytes) {
      const rest = partBytes - bytes;
      part.set(chunk.subarray(0, rest), bytes);
      yield { body: part, isLast: false };
      [bytes, chunk] = [0, chunk.subarray(rest)];
    }
    part.set(chunk, bytes);
    bytes += chunk.length;
  }
  yield { body: part.subarray(0, bytes), isLast: true };
}

async function putWhole(
  connection: S3Connection,
  { key, contentType, isNew, signal }: S3Put,
  { putId, body }: { readonly putId: string; readonly body: Buffer },
): Promise<void> {
  const headers = { ...objectHeaders(contentType, putId), ...conditionOf(isNew) };
  const request = { operation: 'PutObject', method: 'PUT', key, headers, body, signal } as const;
  await connection.send(request).catch((error) => ignoreOwn(connection, { key, putId }, error));
}

async function createUpload(
  connection: S3Connection,
  { key, contentType, signal }: S3Put,
  putId: string,
): Promise<string> {
  const operation = 'CreateMultipartUpload';
  const headers = objectHeaders(contentType, putId);
  const query = { uploads: '' };
  const { body } = await connection.send({
    operation,
    method: 'POST',
    key,
    query,
    headers,
    signal,
  });
  const uploadId = elementText(body, 'UploadId');
  if (uploadId === null) throw s3Error(operation, { status: 200, code: 'NoUploadId' });
  return uploadId;
}

async function putPart(
  connection: S3Connection,
  { key, uploadId, signal }: { key: string; uploadId: string; signal: AbortSignal },
  [number, body]: readonly [number: number, body: Buffer],
): Promise<string> {
  const query = { partNumber: String(number), uploadId };
  const operation = 'UploadPart';
  const { headers } = await connection.send({ operation, method: 'PUT', key, query, body, signal });
  if (headers.etag === undefined) throw s3Error(operation, { status: 200, code: 'NoETag' });
  return headers.etag;
}

async function completeUpload(
  connection: S3Connection,
  { key, isNew, signal }: S3Put,
  upload: { uploadId: string; etags: readonly string[]; putId: string; bytes: number },
): Promise<void> {
  const { uploadId, etags, putId, bytes } = upload;
  // Some stores ignore the condition of this request, so it is checked before as well.
  if (isNew && (await headObject(connection, key)))
    throw s3Error('PutObject', { status: 412, code: '' });
  const parts = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  const operation = 'CompleteMultipartUpload';
  const xml = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  const completed = connection.send({
    operation,
    method: 'POST',
    key,
    query: { uploadId },
    headers: { 'content-type': 'application/xml', ...conditionOf(isNew) },
    body: Buffer.from(xml),
    signal,
  });
  const response = await completed.catch((error) => ignoreOwn(connection, { key, putId }, error));
  // The status is sent before the store has put the parts together; an error is in the body then.
  const code = response && elementText(response.body, 'Code');
  if (code) throw s3Error(operation, { status: 200, code });
  const stored = await headObject(connection, key);
  if (stored?.putId === putId && stored.bytes !== bytes) {
    await removeObject(connection, key);
    throw s3Error(operation, { status: 200, code: 'BadDigest' });
  }
}

/**
 * A repeated request fails with `exists` or `not_found` when the first one had succeeded and its
 * response was lost. The object then has our mark.
 */
async function ignoreOwn(
  connection: S3Connection,
  { key, putId }: { readonly key: string; readonly putId: string },
  error: unknown,
): Promise<null> {
  const isPossible = isStorageError(error, 'exists', 'not_found', 'unreachable', 'throttled');
  const stored = isPossible ? await headObject(connection, key).catch(() => null) : null;
  if (stored?.putId === putId) return null;
  throw error;
}

const objectHeaders = (contentType: string | undefined, putId: string) => ({
  'content-type': contentType ?? 'application/octet-stream',
  [putIdHeader]: putId,
});

const conditionOf = (isNew: boolean | undefined): Record<string, string> =>
  isNew ? { 'if-none-match': '*' } : {};
