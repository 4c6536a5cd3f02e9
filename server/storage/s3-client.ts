/** The objects of one bucket below one prefix, and the uploads in parts that are still open. */
import { createKeyedSemaphore } from '../egress/keyed-semaphore.ts';
import {
  abortUpload,
  headObject,
  orNull,
  type PutContext,
  putObject,
  removeObject,
  type S3Put,
  type S3Upload,
} from './s3-objects.ts';
import { elementsOf, elementText, S3Connection, type S3Options } from './s3-request.ts';

export type S3Client = ReturnType<typeof createS3Client>;

/** Parts may have 5 MiB to 5 GiB, and an object 10,000 of them: 80 GiB. */
const partBytesDefault = 8 * 1024 ** 2;
/** Each has one part in memory: 64 MiB in all. Others wait. */
const putsMax = 8;

export function createS3Client({
  partBytes = partBytesDefault,
  ...options
}: S3Options & { readonly partBytes?: number }) {
  const connection = new S3Connection(options);
  const { prefix } = options.settings;
  const context: PutContext = { connection, putSlots: createKeyedSemaphore(putsMax), partBytes };
  return {
    put: (object: S3Put) => putObject(context, object),
    /** Null if there is no such object. With `ifMatch`, also if it has another etag. */
    async get(
      key: string,
      {
        range,
        ifMatch,
        signal,
      }: {
        /** As in HTTP, such as `bytes=0-99`. */
        readonly range?: string;
        readonly ifMatch?: string;
        readonly signal?: AbortSignal;
      } = {},
    ) {
      const headers = {
        ...(range === undefined ? {} : { range }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      };
      const request = { operation: 'GetObject', method: 'GET', key, headers, signal } as const;
      return await orNull(connection.open(request), 'not_found', 'exists');
    },
    head: (key: string) => headObject(connection, key),
    /** Lists everything below the prefix, in the order of the keys. */
    async *list(below: string) {
      for await (const xml of listElements(connection, 'Contents', prefix + below)) {
        yield {
          key: elementText(xml, 'Key')!.slice(prefix.length),
          bytes: Number(elementText(xml, 'Size')),
          modifiedAt: new Date(elementText(xml, 'LastModified')!),
        };
      }
    },
    /** Ignores a key that does not exist. */
    remove: (key: string) => removeObject(connection, key),
    async *listUploads(below: string): AsyncGenerator<S3Upload> {
      for await (const xml of listElements(connection, 'Upload', prefix + below)) {
        yield {
          key: elementText(xml, 'Key')!.slice(prefix.length),
          uploadId: elementText(xml, 'UploadId')!,
          startedAt: new Date(elementText(xml, 'Initiated')!),
        };
      }
    },
    abortUpload: (upload: Pick<S3Upload, 'key' | 'uploadId'>) => abortUpload(connection, upload),
    presign: (request: Parameters<S3Connection['presign']>[0]) => connection.presign(request),
    close: () => connection.close(),
  };
}

/** The elements of all pages: objects, or uploads in parts. */
async function* listElements(
  connection: S3Connection,
  element: 'Contents' | 'Upload',
  prefix: string,
): AsyncGenerator<string> {
  const isObjects = element === 'Contents';
  const operation = isObjects ? 'ListObjectsV2' : 'ListMultipartUploads';
  const first: Record<string, string> = isObjects ? { 'list-type': '2' } : { uploads: '' };
  /** Where the next page begins, by the names of the response and of the request. */
  const markers = isObjects
    ? [['NextContinuationToken', 'continuation-token']]
    : [
        ['NextKeyMarker', 'key-marker'],
        ['NextUploadIdMarker', 'upload-id-marker'],
      ];
  let next: [string, string][] = [];
  do {
    const query = { ...first, prefix, ...Object.fromEntries(next) };
    const { body } = await connection.send({ operation, method: 'GET', key: null, query });
    yield* elementsOf(body, element);
    const isLast = !isObjects && elementText(body, 'IsTruncated') !== 'true';
    next = (isLast ? [] : markers).flatMap(([from = '', to = '']) => {
      const value = elementText(body, from);
      return value ? [[to, value]] : [];
    });
  } while (next.length > 0);
}
