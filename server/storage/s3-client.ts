/**
 * Objects of one bucket below one prefix. A put is complete or leaves nothing: a file in parts
 * becomes visible with the last request, and its parts are deleted when a step fails.
 */
import type { IncomingMessage } from 'node:http';
import { createKeyedSemaphore } from '../egress/keyed-semaphore.ts';
import {
  abortUpload,
  headObject,
  orNull,
  removeObject,
  type S3Head,
  type S3Upload,
} from './s3-objects.ts';
import { type PutContext, putObject, type S3Put } from './s3-put.ts';
import { S3Connection, type S3Options } from './s3-request.ts';
import { elementsOf, elementText } from './s3-xml.ts';

type S3Entry = { readonly key: string; readonly bytes: number; readonly modifiedAt: Date };

export type S3Client = {
  put(object: S3Put): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** Null if there is no such object. With `ifMatch`, also if it has another etag. */
  get(
    key: string,
    options?: {
      /** As in HTTP, such as `bytes=0-99`. */
      readonly range?: string | undefined;
      readonly ifMatch?: string | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<IncomingMessage | null>;
  head(key: string): Promise<S3Head | null>;
  /** Lists everything below the prefix, in the order of the keys. */
  list(prefix: string): AsyncIterable<S3Entry>;
  /** Ignores a key that does not exist. */
  remove(key: string): Promise<void>;
  listUploads(prefix: string): AsyncIterable<S3Upload>;
  /** Deletes the parts. Ignores an upload that does not exist. */
  abortUpload(upload: Pick<S3Upload, 'key' | 'uploadId'>): Promise<void>;
  presign: S3Connection['presign'];
  close(): void;
};

/** Parts may have 5 MiB to 5 GiB, and an object 10,000 of them: 80 GiB. */
const partBytesDefault = 8 * 1024 ** 2;
/** Each has one part in memory: 64 MiB in all. Others wait. */
const putsMax = 8;

export function createS3Client({
  partBytes = partBytesDefault,
  ...options
}: S3Options & { readonly partBytes?: number }): S3Client {
  const connection = new S3Connection(options);
  const { prefix } = options.settings;
  const putSlots = createKeyedSemaphore(putsMax);
  const context: PutContext = { connection, putSlots, partBytes };
  return {
    put: (object) => putObject(context, object),
    async get(key, { range, ifMatch, signal } = {}) {
      const headers = {
        ...(range === undefined ? {} : { range }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      };
      const request = { operation: 'GetObject', method: 'GET', key, headers, signal } as const;
      return await orNull(connection.open(request), 'not_found', 'exists');
    },
    head: (key) => headObject(connection, key),
    async *list(below) {
      for await (const page of pagesOf(connection, { prefix: prefix + below })) {
        for (const xml of elementsOf(page, 'Contents')) {
          yield {
            key: elementText(xml, 'Key')!.slice(prefix.length),
            bytes: Number(elementText(xml, 'Size')),
            modifiedAt: new Date(elementText(xml, 'LastModified')!),
          };
        }
      }
    },
    remove: (key) => removeObject(connection, key),
    async *listUploads(below) {
      for await (const page of uploadPagesOf(connection, prefix + below)) {
        for (const xml of elementsOf(page, 'Upload')) {
          yield {
            key: elementText(xml, 'Key')!.slice(prefix.length),
            uploadId: elementText(xml, 'UploadId')!,
            startedAt: new Date(elementText(xml, 'Initiated')!),
          };
        }
      }
    },
    abortUpload: (upload) => abortUpload(connection, upload),
    presign: (request) => connection.presign(request),
    close: () => connection.close(),
  };
}

async function* pagesOf(
  connection: S3Connection,
  { prefix }: { readonly prefix: string },
): AsyncGenerator<string> {
  let token: string | null = null;
  do {
    const query: Record<string, string> = {
      'list-type': '2',
      prefix,
      ...(token === null ? {} : { 'continuation-token': token }),
    };
    const request = { operation: 'ListObjectsV2', method: 'GET', key: null, query } as const;
    const { body } = await connection.send(request);
    yield body;
    token = elementText(body, 'NextContinuationToken');
  } while (token);
}

async function* uploadPagesOf(connection: S3Connection, prefix: string): AsyncGenerator<string> {
  let markers: Record<string, string> = {};
  for (;;) {
    const query = { uploads: '', prefix, ...markers };
    const request = { operation: 'ListMultipartUploads', method: 'GET', key: null, query } as const;
    const { body } = await connection.send(request);
    yield body;
    const keyMarker = elementText(body, 'NextKeyMarker');
    if (elementText(body, 'IsTruncated') !== 'true' || !keyMarker) return;
    const idMarker = elementText(body, 'NextUploadIdMarker');
    markers = { 'key-marker': keyMarker, ...(idMarker ? { 'upload-id-marker': idMarker } : {}) };
  }
}
