/**
 * HTTP calls to a configured upstream. Never throws for a failure of the network or the upstream: a
 * call got a response, was never sent, or was lost. Only `unsent` proves that the upstream did
 * nothing.
 */
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lookupOperatorHost, requireOperatorHost } from '../../config/operator-host.ts';
import { limitChunks } from '../../egress/chunk-limit.ts';
import { type SaveInto, saveStream } from '../../egress/save-stream.ts';
import { startDeadline, startTimer } from '../../process/clock.ts';
import { redactKnown } from '../../telemetry/log.ts';
import type { Form } from './multipart.ts';
import { asJson } from './response-values.ts';

export type UpstreamCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Appended to the base URL; the caller encodes variable parts. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent instead of `body`. */
  readonly form?: Form;
  /** For the whole call, from connecting to the last byte of the response. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** A longer body counts as unreadable; 8 MiB by default. */
  readonly bodyBytesMax?: number | undefined;
};

export type UpstreamResponse = {
  readonly kind: 'response';
  readonly status: number;
  /** Lower-case names; the first value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when the body is not JSON, too long or incomplete. */
  readonly json: unknown;
};

export const isSuccess = ({ status }: UpstreamResponse): boolean => status >= 200 && status < 300;

export type UpstreamOutcome =
  | UpstreamResponse
  | { readonly kind: 'unsent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string };

export type DownloadOutcome =
  | { readonly kind: 'saved'; readonly bytes: number; readonly contentType: string }
  | UpstreamOutcome;

type DownloadTarget = { readonly into: SaveInto; readonly bytesMax: number };

// An import of `node:http` also loads undici, 11 MB, for names that are not used here.
const { Agent: HttpAgent, request } = process.getBuiltinModule('node:http');

const connectMsMax = 10_000;
/** A list of 500 tasks has about 1 MB. */
const defaultBodyBytesMax = 8 * 1024 * 1024;
const headerBytesMax = 16 * 1024;
const informationalMax = 16;

type HttpAgents = { readonly http: Agent; readonly https: TlsAgent };

/** Opens a connection to the upstream. Throws when nothing can be sent. */
export type OpenSocket = () => Promise<Duplex>;

function createAgents(
  { keepAlive }: { readonly keepAlive: boolean },
  openSocket?: OpenSocket,
): HttpAgents {
  const options = { keepAlive, lookup: lookupOperatorHost };
  const http = openSocket ? new SocketAgent(openSocket) : new HttpAgent(options);
  return { http, https: new TlsAgent(options) };
}

/** For connections that are not dialed by this process. Each carries one request. */
class SocketAgent extends HttpAgent {
  readonly #open: OpenSocket;

  constructor(open: OpenSocket) {
    super({ keepAlive: false });
    this.#open = open;
  }

  override createConnection(
    _options: object,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#open().then(
      (socket) => callback?.(null, socket),
      (error) => callback?.(error, undefined as never),
    );
  }
}

export function createUpstream(options: {
  readonly baseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
}) {
  const base = options.baseUrl.replace(/\/{1,9}$/, '');
  const readAgents = createAgents({ keepAlive: true }, options.openSocket);
  // The upstream may close a kept-alive connection just as a POST is written to it, and then it
  // is unknown whether it was read. So a call that may start a generation gets its own connection.
  const writeAgents = createAgents({ keepAlive: false }, options.openSocket);
  const closing = new AbortController();

  return {
    call: (call: UpstreamCall): Promise<UpstreamOutcome> =>
      callUpstream(call.method === 'POST' ? writeAgents : readAgents, base, {
        call,
        closing: closing.signal,
        read: async (response) => await readResponse(response, call.bodyBytesMax),
      }),
    /**
     * Saves the body of a 200 response into a file, and leaves none unless it is complete; returns
     * other responses as `call` does.
     */
    download: (call: UpstreamCall, target: DownloadTarget): Promise<DownloadOutcome> =>
      callUpstream(readAgents, base, {
        call,
        closing: closing.signal,
        read: async (response, signal) =>
          response.statusCode === 200
            ? await save(response, { ...target, signal })
            : await readResponse(response),
      }),
    close: async () => {
      closing.abort();
      for (const { http, https } of [readAgents, writeAgents]) {
        http.destroy();
        https.destroy();
      }
    },
  };
}

async function callUpstream<Read>(
  agents: HttpAgents,
  base: string,
  options: {
    readonly call: UpstreamCall;
    readonly closing: AbortSignal;
    readonly read: (response: IncomingMessage, signal: AbortSignal) => Promise<Read>;
  },
): Promise<Read | Exclude<UpstreamOutcome, UpstreamResponse>> {
  const { call, closing, read } = options;
  using deadline = startDeadline(call.timeoutMs, [closing, ...(call.signal ? [call.signal] : [])]);
  const { signal } = deadline;
  const connection = { connected: false };
  try {
    const response = await send(agents, new URL(base + call.path), { call, signal, connection });
    return await read(response, signal);
  } catch (error) {
    if (error instanceof DiskError) throw error;
    // Without a connection, no byte of the request was sent.
    if (!connection.connected) return { kind: 'unsent', detail: reasonOf(error) };
    if (deadline.hasPassed) return { kind: 'lost', detail: `no response in ${call.timeoutMs} ms` };
    return { kind: 'lost', detail: reasonOf(error) };
  }
}

async function readResponse(
  response: IncomingMessage,
  bodyBytesMax = defaultBodyBytesMax,
): Promise<UpstreamResponse> {
  const { statusCode: status = 0, headers } = response;
  // The status alone may be decisive, so an incomplete body does not invalidate the response.
  const json = asJson(await readBody(response, bodyBytesMax).catch(() => undefined));
  return { kind: 'response', status, headers: firstValues(headers), json };
}

/** The local disk failed. Thrown, because it says nothing about the upstream. */
class DiskError extends Error {}

const diskCodes = new Set([
  ...['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES'],
  ...['EMFILE', 'ENFILE', 'ENOENT', 'ENOTDIR'],
]);

async function save(
  response: IncomingMessage,
  { into, bytesMax, signal }: DownloadTarget & { readonly signal: AbortSignal },
): Promise<DownloadOutcome> {
  const limited = async function* () {
    let received = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > bytesMax) throw new Error(`more than ${bytesMax} bytes`);
      yield chunk;
    }
    // Without a length, a body that we have cut off ends as a complete one does.
    signal.throwIfAborted();
  };
  const bytes = await saveStream(limited(), into).catch((error) => {
    response.destroy();
    throw diskCodes.has(codeOf(error) ?? '') ? new DiskError(reasonOf(error)) : error;
  });
  const contentType = response.headers['content-type'] ?? 'application/octet-stream';
  return { kind: 'saved', bytes, contentType };
}

/** Resolves with the response header. `node:http` follows no redirects: a 3xx is a response. */
function send(
  { http, https }: HttpAgents,
  url: URL,
  {
    call,
    signal,
    connection,
  }: { call: UpstreamCall; signal: AbortSignal; connection: { connected: boolean } },
): Promise<IncomingMessage> {
  requireOperatorHost(url.hostname);
  const isTls = url.protocol === 'https:';
  const content = call.body === undefined ? undefined : JSON.stringify(call.body);
  const options = {
    method: call.method,
    headers: {
      accept: 'application/json',
      'user-agent': 'vidgen',
      ...(content === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
      ...(call.form
        ? { 'content-type': call.form.contentType, 'content-length': call.form.bytes }
        : {}),
      ...call.headers,
    },
    maxHeaderSize: headerBytesMax,
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = isTls
      ? tlsRequest(url, { ...options, agent: https })
      : request(url, { ...options, agent: http });
    const connectTimer = startTimer(Math.min(connectMsMax, call.timeoutMs), () => {
      if (!connection.connected) outgoing.destroy(new Error(`no connection in ${connectMsMax} ms`));
    });
    let hasResponse = false;
    outgoing.once('close', () => {
      connectTimer.stop();
      // An upgrade that nobody asked for ends without an error.
      if (!hasResponse) reject(new Error('the connection was closed before the response'));
    });
    let informational = 0;
    outgoing.on('information', () => {
      informational += 1;
      if (informational <= informationalMax) return;
      outgoing.destroy();
      reject(new Error('too many responses before the response'));
    });
    outgoing.once('socket', (socket) => {
      const connected = () => {
        connection.connected = true;
        connectTimer.stop();
      };
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      hasResponse = true;
      limitChunks(response, () => response.destroy(new Error('too many small chunks')));
      resolve(response);
    });
    if (call.form) pipeline(call.form.open(), outgoing).catch(reject);
    else outgoing.end(content);
  });
}

async function readBody(
  response: IncomingMessage,
  bodyBytesMax: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  // An upstream may quote the API key in an error message, which is stored for admins.
  return redactKnown(Buffer.concat(chunks).toString());
}

function firstValues(headers: IncomingHttpHeaders): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) values[name] = first;
  }
  return values;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return code && !message.includes(code)
    ? `${code}: ${message}`
    : message || code || 'unknown error';
}
