/** How requests to a store of the tests fail, and a proxy that lets those to a real one fail. */
import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { sleep } from '../../server/process/clock.ts';
import { readBody, startLocalServer } from './local-server.ts';

/** What happens to one request instead of its response. */
export type S3Fault =
  | { readonly status: number; readonly code: string }
  /** It is answered late. */
  | { readonly delayMs: number }
  /** The connection closes before the request has any effect. */
  | 'reset'
  /** It has its effect, and the connection closes without a response. */
  | 'lost-response'
  /** The connection closes in the middle of the response. */
  | 'cut-response'
  /** No response until the client gives up. */
  | 'silent';

export type S3RequestSeen = {
  /** As S3 names it, such as `UploadPart`. */
  readonly operation: string;
  readonly key: string;
};

export type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Of a URL that names the bucket in its path. */
export function readS3Request(
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

export function sendS3Error(
  { request, response }: Exchange,
  error: { readonly status: number; readonly code: string },
): void {
  const xml = `<Error><Code>${error.code}</Code><Message>no</Message></Error>`;
  const body = request.method === 'HEAD' ? '' : xml;
  response.writeHead(error.status, { 'content-type': 'application/xml' }).end(body);
}

/** Returns the body of the request, or null if the fault has ended the exchange. */
export async function readUnlessFailed(
  exchange: Exchange,
  fault: S3Fault | null,
): Promise<Buffer | null> {
  const { request } = exchange;
  if (fault === 'reset') request.socket.destroy();
  if (fault === 'silent') request.resume();
  if (fault === 'reset' || fault === 'silent') return null;
  const body = await readBody(request);
  if (fault === null || typeof fault === 'string') return body;
  if ('delayMs' in fault) {
    await sleep(fault.delayMs);
    return body;
  }
  sendS3Error(exchange, fault);
  return null;
}

export type S3FaultProxy = {
  readonly origin: string;
  fault: (request: S3RequestSeen) => S3Fault | null;
  close(): Promise<void>;
};

/** Requests pass unchanged, with their `Host`, as signatures cover it. */
export async function startS3FaultProxy(endpoint: string): Promise<S3FaultProxy> {
  const server = await startLocalServer((request, response) => {
    void passOn(proxy, endpoint, { request, response }).catch(() => request.socket.destroy());
  });
  const proxy: S3FaultProxy = {
    origin: server.origin,
    fault: () => null,
    close: server.close,
  };
  return proxy;
}

async function passOn(proxy: S3FaultProxy, endpoint: string, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const { operation, key } = readS3Request(request);
  const fault = proxy.fault({ operation, key });
  const body = await readUnlessFailed(exchange, fault);
  if (body === null) return;
  const { method, headers } = request;
  const sent = sendRequest(`${endpoint}${request.url}`, { method: method!, headers });
  const received = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject).end(body);
  });
  if (fault === 'lost-response' || fault === 'cut-response') {
    const whole = await readBody(received);
    if (fault === 'lost-response') return void request.socket.destroy();
    response.writeHead(received.statusCode!, received.headers);
    response.write(whole.subarray(0, whole.length / 2), () => request.socket.destroy());
    return;
  }
  response.writeHead(received.statusCode!, received.headers);
  await pipeline(received, response);
}
