/** Sends responses. */
import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rangeResponse } from '../../storage/range.ts';
import type { StoredFile } from '../../storage/storage.ts';
import type { ResponseDescription } from './endpoint-definition.ts';
import type { ApiRequest, ApiResponse } from './handler.ts';

const baseHeaders = {
  'x-content-type-options': 'nosniff',
  // URLs of the service may contain a signature.
  'referrer-policy': 'no-referrer',
} as const;

/** OWASP, REST Security: JSON opened as a page is inert and cannot be framed. */
const inertHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/**
 * Files get no policy: their types cannot run scripts, and the policy would also apply to the page
 * in which browsers play a video that is opened directly.
 */
export const securityHeaders = ({
  isFile,
}: {
  readonly isFile: boolean;
}): Readonly<Record<string, string>> =>
  isFile ? baseHeaders : { ...baseHeaders, ...inertHeaders };

export const fileDescriptions = (
  contentType: string,
): Readonly<Record<number, ResponseDescription>> => ({
  200: { description: 'The whole file.', contentType },
  206: { description: 'The part that `Range` asked for.', contentType },
  304: { description: 'The file is the one that `If-None-Match` names.' },
  416: { description: 'The file has no such part.' },
});

/** Applies `Range`, `If-Range` and `If-None-Match` of the request. Closes the file if unread. */
export async function fileResponse(
  file: StoredFile,
  { request, fileName }: { readonly request: ApiRequest; readonly fileName: string },
): Promise<ApiResponse> {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [range, ifRange, ifNoneMatch] = ['range', 'if-range', 'if-none-match'].map(header);
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const { bytesTotal, contentType, etag } = file;
  const { range: served, ...response } = rangeResponse(
    { method, range, ifRange, ifNoneMatch },
    { bytesTotal, contentType, etag, fileName },
  );
  if (served && method === 'GET') return { ...response, stream: file.read(served) };
  await file.close();
  return response;
}

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** Headers that are sent with any response, such as those of rate limits. */
  readonly headers: Record<string, string | string[]>;
};

/** Statuses without a body, not even an empty one. */
const withoutLength = [204, 304];

const jsonHeaders = {
  ...securityHeaders({ isFile: false }),
  'content-type': 'application/json; charset=utf-8',
  // JSON is current only now, and only for this caller.
  'cache-control': 'no-store',
};

/** Rejects if the response is a stream that fails. A stream has its first byte. */
export async function send(
  { request, response, id, headers }: Exchange,
  sent: ApiResponse,
): Promise<void> {
  if (sent.upgrade) return upgrade(response, sent.upgrade);
  const { status = 200, body, text, stream } = sent;
  const ofKind = body === undefined ? securityHeaders({ isFile: text === undefined }) : jsonHeaders;
  const all: OutgoingHttpHeaders = { ...headers, 'x-request-id': id, ...ofKind, ...sent.headers };
  if (stream) return await sendStream(response, stream, { status, headers: all });
  const payload = body === undefined ? text : JSON.stringify(body);
  const hasLength = payload !== undefined || !withoutLength.includes(status);
  const isEmptyHead = payload === undefined && request.method === 'HEAD';
  if (hasLength && !isEmptyHead) all['content-length'] ??= Buffer.byteLength(payload ?? '');
  response.writeHead(status, all);
  response.end(payload);
}

/** The response counts as in progress until the connection ends. */
function upgrade(response: ServerResponse, take: NonNullable<ApiResponse['upgrade']>): void {
  const { socket } = response.req;
  response.detachSocket(socket);
  response.statusCode = 101;
  socket.setTimeout(0);
  socket.once('close', () => response.emit('close'));
  if (!socket.destroyed) take(socket);
}

/**
 * Waits for the first byte, before the headers are sent: a stream that fails at once, or has none
 * when the signal aborts, becomes an error.
 */
export async function whenReadable(
  response: ServerResponse,
  stream: Readable,
  signal: AbortSignal,
): Promise<void> {
  response.once('close', () => stream.destroy());
  await once(stream, 'readable', { signal });
}

async function sendStream(
  response: ServerResponse,
  stream: Readable,
  { status, headers }: { readonly status: number; readonly headers: OutgoingHttpHeaders },
): Promise<void> {
  response.writeHead(status, headers);
  await pipeline(stream, response).catch((error) => {
    // Otherwise the client has gone.
    if (stream.errored && stream.errored === error) throw error;
  });
}
