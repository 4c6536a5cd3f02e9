/**
 * A fake S3 store in memory. It checks the signature, the digest of the body and the expiry of
 * every request as AWS does, and fails on demand.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRange } from '../../server/storage/range.ts';
import { signatureProblem } from './fake-s3-signature.ts';
import { type LocalServer, readBody, startLocalServer } from './local-server.ts';

/** What happens to one request instead of its response. */
export type S3Fault =
  | { readonly status: number; readonly code: string }
  /** The connection closes before the request has any effect. */
  | 'reset'
  /** It has its effect, and the connection closes without a response. */
  | 'lost-response'
  /** The connection closes in the middle of the response. */
  | 'cut-response'
  /** No response until the client gives up. */
  | 'silent';

type S3RequestSeen = {
  /** As S3 names it, such as `UploadPart`. */
  readonly operation: string;
  readonly key: string;
};

type StoredObject = {
  readonly body: Buffer;
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly headers: Readonly<Record<string, string>>;
};

type OpenUpload = {
  readonly key: string;
  startedAt: Date;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Map<number, Buffer>;
};

export type FakeS3 = {
  readonly origin: string;
  readonly bucket: string;
  readonly keys: Map<string, string>;
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, OpenUpload>;
  readonly requests: S3RequestSeen[];
  /** Every request that was rejected for its signature, and why. */
  readonly rejections: string[];
  fault: (request: S3RequestSeen) => S3Fault | null;
  /** The store's clock minus ours. */
  clockOffsetMs: number;
  sessionToken: string | null;
  /** `VIDGEN_STORAGE_URL` for a prefix. */
  url(prefix?: string): string;
  /** The credentials as the variables of the AWS clients. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

const bucket = 'videos';
const region = 'eu-test-1';
const accessKeyId = 'AKFAKESTORE';
const secretAccessKey = 'a secret key of the fake store';

export async function startFakeS3({ pageSize = 3 } = {}): Promise<FakeS3> {
  const state = {
    bucket,
    keys: new Map([[accessKeyId, secretAccessKey]]),
    objects: new Map<string, StoredObject>(),
    uploads: new Map<string, OpenUpload>(),
    requests: [] as S3RequestSeen[],
    rejections: [] as string[],
    fault: (() => null) as FakeS3['fault'],
    clockOffsetMs: 0,
    sessionToken: null as string | null,
    environment: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
  };
  const server: LocalServer = await startLocalServer((request, response) => {
    const fake: FakeS3 = store;
    void serve(fake, pageSize, { request, response }).catch(() => request.socket.destroy());
  });
  const store: FakeS3 = Object.assign(state, {
    origin: server.origin,
    url: (prefix = '') =>
      `s3://${bucket}/${prefix}?region=${region}&endpoint=${server.origin}&path_style=true`,
    close: server.close,
  });
  return store;
}

async function serve(fake: FakeS3, pageSize: number, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const { operation, key, bucket: host, query } = readS3Request(request);
  response.setHeader('date', new Date(Date.now() + fake.clockOffsetMs).toUTCString());
  const fault = fake.fault({ operation, key });
  const body = await readUnlessFailed(exchange, fault);
  if (body === null) return;
  const nowMs = Date.now() + fake.clockOffsetMs;
  const problem = signatureProblem(request, { ...fake, body, nowMs, region });
  if (problem) {
    fake.rejections.push(`${operation} ${key}: ${problem}`);
    return sendError(exchange, { status: 403, code: problem });
  }
  if (host !== bucket) return sendError(exchange, { status: 404, code: 'NoSuchBucket' });
  fake.requests.push({ operation, key });
  const context = { fake, key, body, query, headers: request.headers, pageSize };
  const result = operations[operation]?.(context) ?? { status: 405, code: 'MethodNotAllowed' };
  if (fault === 'lost-response') return void request.socket.destroy();
  if ('code' in result) return sendError(exchange, result);
  const { status, headers, body: sent = Buffer.alloc(0) } = result;
  response.writeHead(status, { 'content-length': sent.length, ...headers });
  if (fault !== 'cut-response') return void response.end(request.method === 'HEAD' ? '' : sent);
  response.write(sent.subarray(0, sent.length / 2), () => request.socket.destroy());
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Of a URL that names the bucket in its path. */
function readS3Request(
  request: IncomingMessage,
): S3RequestSeen & { readonly bucket: string; readonly query: URLSearchParams } {
  const url = new URL(request.url!, 'http://store');
  const [, bucket = '', ...parts] = url.pathname.split('/').map(decodeURIComponent);
  const key = parts.join('/');
  const query = url.searchParams;
  return { operation: operationOf(request.method!, key, query), key, bucket, query };
}

function operationOf(method: string, key: string, query: URLSearchParams): string {
  const isUpload = query.has('uploadId');
  if (key === '') return query.has('uploads') ? 'ListMultipartUploads' : 'ListObjectsV2';
  if (method === 'POST') return isUpload ? 'CompleteMultipartUpload' : 'CreateMultipartUpload';
  if (method === 'PUT') return isUpload ? 'UploadPart' : 'PutObject';
  if (method === 'DELETE') return isUpload ? 'AbortMultipartUpload' : 'DeleteObject';
  return method === 'HEAD' ? 'HeadObject' : 'GetObject';
}

function sendError(
  { request, response }: Exchange,
  error: { readonly status: number; readonly code: string },
): void {
  const xml = `<Error><Code>${error.code}</Code><Message>no</Message></Error>`;
  const body = request.method === 'HEAD' ? '' : xml;
  response.writeHead(error.status, { 'content-type': 'application/xml' }).end(body);
}

/** Returns the body of the request, or null if the fault has ended the exchange. */
async function readUnlessFailed(exchange: Exchange, fault: S3Fault | null): Promise<Buffer | null> {
  const { request } = exchange;
  if (fault === 'reset') request.socket.destroy();
  if (fault === 'silent') request.resume();
  if (fault === 'reset' || fault === 'silent') return null;
  const body = await readBody(request);
  if (fault === null || typeof fault === 'string') return body;
  sendError(exchange, fault);
  return null;
}

type OperationContext = {
  readonly fake: FakeS3;
  readonly key: string;
  readonly body: Buffer;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly pageSize: number;
};

type OperationResult =
  | { readonly status: number; readonly code: string }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: Buffer };

const missing = (code: string) => ({ status: 404, code });
const xmlResult = (xml: string) => ({ status: 200, body: Buffer.from(xml) });
const md5 = (body: Buffer): string => createHash('md5').update(body).digest('hex');

const operations: Readonly<Record<string, (context: OperationContext) => OperationResult>> = {
  PutObject({ fake, key, body, headers }) {
    if (isTaken(fake, key, headers)) return { status: 412, code: 'PreconditionFailed' };
    const etag = `"${md5(body)}"`;
    fake.objects.set(key, { body, etag, modifiedAt: new Date(), headers: keptHeaders(headers) });
    return { status: 200, headers: { etag } };
  },
  GetObject: readObject,
  HeadObject: readObject,
  DeleteObject({ fake, key }) {
    fake.objects.delete(key);
    return { status: 204 };
  },
  CreateMultipartUpload({ fake, key, headers }) {
    const id = randomUUID();
    const upload = { key, startedAt: new Date(), headers: keptHeaders(headers), parts: new Map() };
    fake.uploads.set(id, upload);
    return xmlResult(`<R><UploadId>${id}</UploadId></R>`);
  },
  UploadPart({ fake, query, body }) {
    const upload = fake.uploads.get(query.get('uploadId')!);
    if (!upload) return missing('NoSuchUpload');
    upload.parts.set(Number(query.get('partNumber')), body);
    return { status: 200, headers: { etag: `"${md5(body)}"` } };
  },
  CompleteMultipartUpload({ fake, key, query, body, headers }) {
    const id = query.get('uploadId')!;
    const upload = fake.uploads.get(id);
    if (!upload) return missing('NoSuchUpload');
    if (isTaken(fake, key, headers)) return { status: 412, code: 'PreconditionFailed' };
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"(\w+)"/g)];
    const parts = named.map(([, number]) => upload.parts.get(Number(number)));
    const isComplete = named.every(([, , etag], at) => parts[at] && md5(parts[at]) === etag);
    if (!isComplete || parts.length === 0) return { status: 400, code: 'InvalidPart' };
    fake.uploads.delete(id);
    const whole = Buffer.concat(parts as Buffer[]);
    const etag = `"${md5(whole)}-${parts.length}"`;
    fake.objects.set(key, { body: whole, etag, modifiedAt: new Date(), headers: upload.headers });
    return xmlResult(`<R><ETag>${etag}</ETag></R>`);
  },
  AbortMultipartUpload({ fake, query }) {
    return fake.uploads.delete(query.get('uploadId')!) ? { status: 204 } : missing('NoSuchUpload');
  },
  ListObjectsV2({ fake, query, pageSize }) {
    const after = query.get('continuation-token') ?? '';
    const below = [...fake.objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .sort();
    const page = below.slice(0, pageSize);
    const more = below.length > pageSize ? page.at(-1)! : null;
    const contents = page.map((key) => {
      const { body, modifiedAt } = fake.objects.get(key)!;
      const time = modifiedAt.toISOString();
      const size = `<Size>${body.length}</Size>`;
      return `<Contents><Key>${key}</Key><LastModified>${time}</LastModified>${size}</Contents>`;
    });
    const next = more === null ? '' : `<NextContinuationToken>${more}</NextContinuationToken>`;
    return xmlResult(`<R>${contents.join('')}${next}</R>`);
  },
  ListMultipartUploads({ fake, query, pageSize }) {
    const after = query.get('upload-id-marker') ?? '';
    const below = [...fake.uploads]
      .filter(([id, { key }]) => key.startsWith(query.get('prefix') ?? '') && id > after)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const page = below.slice(0, pageSize);
    const uploads = page.map(([id, { key, startedAt }]) => {
      const initiated = `<Initiated>${startedAt.toISOString()}</Initiated>`;
      return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId>${initiated}</Upload>`;
    });
    const [lastId, last] = page.at(-1) ?? ['', null];
    const isTruncated = below.length > pageSize;
    const keyMarker = `<NextKeyMarker>${last?.key}</NextKeyMarker>`;
    const idMarker = `<NextUploadIdMarker>${lastId}</NextUploadIdMarker>`;
    const markers = isTruncated ? keyMarker + idMarker : '';
    const truncated = `<IsTruncated>${isTruncated}</IsTruncated>`;
    return xmlResult(`<R>${uploads.join('')}${truncated}${markers}</R>`);
  },
};

function isTaken(fake: FakeS3, key: string, headers: IncomingMessage['headers']): boolean {
  return headers['if-none-match'] === '*' && fake.objects.has(key);
}

function readObject({ fake, key, query, headers }: OperationContext): OperationResult {
  const found = fake.objects.get(key);
  if (!found) return missing('NoSuchKey');
  const { body, etag, modifiedAt } = found;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && ifMatch !== etag) return { status: 412, code: 'PreconditionFailed' };
  const overrides = ['content-type', 'content-disposition', 'cache-control'].flatMap((name) => {
    const value = query.get(`response-${name}`);
    return value === null ? [] : [[name, value]];
  });
  const own = { etag, 'last-modified': modifiedAt.toUTCString(), 'accept-ranges': 'bytes' };
  const all = { ...own, ...found.headers, ...Object.fromEntries(overrides) };
  const range = parseRange(headers.range ?? '', body.length);
  if (range === 'unsatisfiable') return { status: 416, code: 'InvalidRange' };
  if (range === 'whole') return { status: 200, headers: all, body };
  const { start, end } = range;
  const contentRange = `bytes ${start}-${end}/${body.length}`;
  const part = body.subarray(start, end + 1);
  return { status: 206, headers: { ...all, 'content-range': contentRange }, body: part };
}

const keptHeaders = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => name === 'content-type' || name.startsWith('x-amz-meta-'),
    ),
  ) as Record<string, string>;
