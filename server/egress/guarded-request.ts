/**
 * One request over one guarded connection that ends with it. HTTP/1.1 and nothing clever: no
 * redirect, no proxy from the environment, no decompression, no pool that a peer could poison.
 */
import { type IncomingHttpHeaders, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { connect, type Guard } from './connect.ts';
import { EgressFailure, toFailureCode } from './failure.ts';

const headerBytesMax = 16 * 1024;
/**
 * All that may come before the header is here: answers of 1xx and empty lines have no end by
 * themselves, and a peer that floods us with them would keep a core busy until the deadline.
 */
const preambleBytesMax = 64 * 1024;

export type GuardedRequest = {
  /** Already judged by `checkAddress`. */
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * What the caller reads of the answer's body. The connection ends 64 KiB later at the most,
   * however the body is chopped up. Without it the caller counts, and the deadline ends it.
   */
  readonly responseBytesMax?: number;
  /** The deadline: ends the request in every phase, the reading of the body included. */
  readonly signal: AbortSignal;
};

export type GuardedResponse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Destroying it closes the connection. */
  readonly body: Readable;
};

/** Resolves when the header of the final answer has arrived. Throws `EgressFailure`. */
export async function sendRequest(guard: Guard, request: GuardedRequest): Promise<GuardedResponse> {
  const socket = await connect(guard, request.url, request.signal);
  try {
    const response = await speakHttp(socket, request);
    response.body.once('close', () => socket.destroy());
    return response;
  } catch (error) {
    socket.destroy();
    throw new EgressFailure(toFailureCode(error));
  }
}

function speakHttp(socket: Socket, request: GuardedRequest): Promise<GuardedResponse> {
  const { url, method, headers, body: requestBody, responseBytesMax = Infinity, signal } = request;
  return new Promise((resolve, reject) => {
    let body: Readable | undefined;
    const stop = () => (body ?? socket).destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('close', () => {
      signal.removeEventListener('abort', stop);
      reject(new EgressFailure('closed'));
    });
    if (signal.aborted) stop();

    // `node:http` and not undici: there, an answer that is read slower than it comes and then ends
    // throws past every handler (nodejs/undici#5360), so any peer could end the process.
    const clientRequest = startRequest({
      createConnection: () => socket, // Without an agent: sends "connection: close".
      method,
      path: url.pathname + url.search,
      setHost: false,
      headers: {
        host: url.host,
        'user-agent': 'vidgen',
        accept: '*/*',
        'accept-encoding': 'identity',
        ...headers,
      },
      maxHeaderSize: headerBytesMax,
      insecureHTTPParser: false,
    });
    clientRequest.on('error', reject);
    let bytesRead = 0;
    // Only now, when the parser listens too: before, the beginning could be lost.
    clientRequest.once('socket', () =>
      socket.on('data', ({ length }: Uint8Array) => {
        bytesRead += length;
        if (bytesRead <= preambleBytesMax) return;
        if (body === undefined) socket.destroy(new EgressFailure('protocol'));
        else if (bytesRead > preambleBytesMax + responseBytesMax) body.destroy();
      }),
    );
    clientRequest.once('response', (response) => {
      body = response;
      // Who reads the body hears of its errors by reading; unread, they must not end the process.
      response.on('error', () => {});
      // A status under 200 never ends an exchange; this one pretends to.
      if (response.statusCode === undefined || response.statusCode < 200) {
        reject(new EgressFailure('protocol'));
        return;
      }
      resolve({ status: response.statusCode, headers: response.headers, body });
    });
    clientRequest.end(requestBody);
  });
}

/** The bytes of a body, `bytesMax` at most. One more is a failure: a cut is never silent. */
export async function* readCapped(body: Readable, bytesMax: number): AsyncGenerator<Uint8Array> {
  let remaining = bytesMax;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      if (chunk.length > remaining) {
        if (remaining > 0) yield chunk.subarray(0, remaining);
        throw new EgressFailure('too_large');
      }
      remaining -= chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw new EgressFailure(toFailureCode(error));
  }
}

/** The beginning of a body as text; whatever cuts it short cuts the text and nothing else. */
export async function readPrefix(body: Readable, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of readCapped(body, bytesMax)) {
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (!(error instanceof EgressFailure)) throw error;
  }
  // PostgreSQL's text cannot hold NUL.
  return text.replaceAll('\0', '\ufffd');
}
