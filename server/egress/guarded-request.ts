/**
 * One request over one guarded connection, which closes with it unless it is kept. Plain HTTP/1.1:
 * no redirects, no proxy from the environment, no decompression.
 */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { startTimer } from '../process/clock.ts';
import { type ChunkAllowance, limitChunks, refuseFraming } from './chunk-limit.ts';
import { connect, type Guard, type GuardedConnection } from './connect.ts';
import { EgressFailure, toFailureCode } from './failure.ts';

// An import of `node:http` also loads undici, 11 MB, for names that are not used here.
const { Agent, request: startRequest } = process.getBuiltinModule('node:http');

const headerBytesMax = 16 * 1024;
/**
 * The limit on everything before the headers: 1xx responses and empty lines can go on without end,
 * and a peer that floods us with them would keep a core busy until the deadline.
 */
const preambleBytesMax = 64 * 1024;
/** Responses 1xx before the final one; each costs more than its bytes. */
const informationMax = 16;
/** How long a peer that has responded may take to read the rest of the request. */
const finishMsMax = 4_000;

export type GuardedRequest = {
  /** Already checked by `checkUrl`. */
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * The part of the body that the caller reads. The connection closes at most 64 KiB later, however
   * the body is chunked. Without a limit the caller counts, and the deadline ends the response.
   */
  readonly responseBytesMax?: number;
  /** The deadline: ends the request in every phase, including reading the body. */
  readonly signal: AbortSignal;
  /** Counts the chunks of the response together with those of others. */
  readonly chunks?: ChunkAllowance | undefined;
};

export type GuardedResponse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Destroying it closes the connection. */
  readonly body: Readable;
};

/** Resolves when the final response's headers have arrived. Throws `EgressFailure`. */
export async function sendRequest(guard: Guard, request: GuardedRequest): Promise<GuardedResponse> {
  const connection = await connect(guard, request.url, request.signal);
  try {
    return await sendHttp(connection, request);
  } catch (error) {
    connection.socket.destroy();
    throw new EgressFailure(toFailureCode(error));
  }
}

/** Takes the socket that the request brings along; a request without an agent closes its own. */
class GivenSocketAgent extends Agent {
  addRequest(
    request: ClientRequest & { onSocket(socket: Duplex): void },
    { socket }: { readonly socket: Duplex },
  ) {
    request.onSocket(socket);
  }
}
const keepingAgent = new GivenSocketAgent({ keepAlive: true });

const headersOf = ({ url, headers }: GuardedRequest): Record<string, string> => ({
  host: url.host,
  'user-agent': 'vidgen',
  accept: '*/*',
  'accept-encoding': 'identity',
  ...headers,
});

/** Resolves when the final response's headers have arrived. */
function sendHttp(
  { socket, keep }: GuardedConnection,
  request: GuardedRequest,
): Promise<GuardedResponse> {
  const { url, method, body: requestBody, responseBytesMax = Infinity, signal } = request;
  return new Promise((resolve, reject) => {
    let body: IncomingMessage | undefined;
    let bytesRead = 0;
    const stop = () => (body ?? socket).destroy(signal.reason);
    const onClose = () => {
      signal.removeEventListener('abort', stop);
      reject(new EgressFailure('closed'));
    };
    const onData = ({ length }: Uint8Array) => {
      bytesRead += length;
      if (bytesRead <= preambleBytesMax) return;
      if (body === undefined) socket.destroy(new EgressFailure('protocol'));
      else if (bytesRead > preambleBytesMax + responseBytesMax) body.destroy();
    };
    // Emitted when request and response are complete and neither asks to close.
    const onFree = () => {
      signal.removeEventListener('abort', stop);
      socket.off('close', onClose).off('data', onData);
      keep?.(body?.headers['keep-alive']?.toString());
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.once('close', onClose);
    if (signal.aborted) stop();

    // `node:http` instead of undici, where a response that is read slower than it arrives and then
    // ends throws past every handler (nodejs/undici#5360), so any peer could crash the process.
    const clientRequest = startRequest({
      // Without an agent, Node sends "connection: close".
      ...(keep ? { agent: keepingAgent, socket } : { createConnection: () => socket }),
      method,
      path: url.pathname + url.search,
      setHost: false,
      headers: headersOf(request),
      maxHeaderSize: headerBytesMax,
      insecureHTTPParser: false,
    });
    clientRequest.on('error', reject);
    // Only after the parser listens as well; earlier, the first bytes could be lost.
    clientRequest.once('socket', () => {
      const refuse = () => (body ?? socket).destroy(new EgressFailure('protocol'));
      if (request.chunks) refuseFraming(socket, refuse);
      socket.on('data', onData).once('free', onFree);
    });
    let informed = 0;
    clientRequest.on('information', () => {
      informed += 1;
      if (informed > informationMax) socket.destroy(new EgressFailure('protocol'));
    });
    clientRequest.once('response', (response) => {
      body = response;
      // Readers get errors by reading; an unread response must not crash the process with one.
      response.on('error', () => {});
      // A status below 200 never ends an exchange, so this response is invalid.
      if (response.statusCode === undefined || response.statusCode < 200) {
        reject(new EgressFailure('protocol'));
        return;
      }
      const tooMany = () => response.destroy(new EgressFailure('protocol'));
      limitChunks(response, tooMany, request.chunks);
      response.once('end', () => {
        if (clientRequest.writableFinished) return;
        const timer = startTimer(finishMsMax, () => void socket.destroy());
        response.once('close', timer.stop);
      });
      response.once('close', () => {
        if (!keep || !response.readableEnded) socket.destroy();
      });
      resolve({ status: response.statusCode, headers: response.headers, body });
    });
    clientRequest.end(requestBody);
  });
}

/**
 * Yields at most `bytesMax` bytes of a body and throws `too_large` on the next, never truncating
 * silently.
 */
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

/** Returns the beginning of a body as text; an error while reading only shortens it. */
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
  // PostgreSQL text cannot contain NUL.
  return text.replaceAll('\0', '\ufffd');
}
