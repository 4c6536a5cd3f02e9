/** Single objects of a bucket: what is under a key, removing it, and ending an upload in parts. */
import { startDeadline } from '../process/clock.ts';
import type { S3Connection } from './s3-request.ts';
import { isStorageError, type StorageError, type StorageErrorKind } from './storage-error.ts';

/** Marks the object, so that a put whose response was lost can recognize its own. */
export const putIdHeader = 'x-amz-meta-vidgen-put';
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
