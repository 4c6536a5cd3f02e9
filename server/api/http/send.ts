/** Sends the response of a handler, or an error response, with the headers that every one has. */
import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from './handler.ts';
import { securityHeaders } from './security-headers.ts';

/** A request and its response. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Sent as `x-request-id`. */
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
