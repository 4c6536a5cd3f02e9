/**
 * HTTP to a configured upstream, for adapters. Never throws for what the network or the upstream
 * does: a call was answered, was never sent, or was lost on the way, and only `unsent` proves that
 * the upstream did nothing.
 */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { timeoutSignal } from '../../clock.ts';
import { withoutKnownSecrets } from '../../log.ts';
import type { Form } from './multipart.ts';

export type UpstreamCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Appended to the base address; parts that come from elsewhere must be encoded by the caller. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent instead of it, as a form with files. */
  readonly form?: Form;
  /** For the whole call, connecting and the last byte of the answer included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
};

export type UpstreamAnswer = {
  readonly kind: 'answered';
  readonly status: number;
  /** Lower-case names; the first value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when the body is no JSON, is too long, or broke off. */
  readonly json: unknown;
};

export type UpstreamOutcome =
  | UpstreamAnswer
  | { readonly kind: 'unsent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string };

export type DownloadOutcome =
  | { readonly kind: 'saved'; readonly bytes: number; readonly contentType: string }
  | UpstreamOutcome;

export interface Upstream {
  call(call: UpstreamCall): Promise<UpstreamOutcome>;
  /**
   * Saves what a 200 brings into a file, and gives any other answer as `call` does. For results
   * that stand behind the upstream's own door; those at public addresses go through the guard.
   */
  download(
    call: UpstreamCall,
    options: { readonly into: string; readonly bytesMax: number },
  ): Promise<DownloadOutcome>;
  close(): Promise<void>;
}

const connectMsMax = 10_000;
/** A list of 500 tasks is about 1 MB; what is longer is cut off and counts as unreadable. */
const bodyBytesMax = 8 * 1024 * 1024;

const headerBytesMax = 16 * 1024;

type Sender = { readonly http: Agent; readonly https: TlsAgent };

function createSender(options: { readonly keepAlive: boolean }): Sender {
  return { http: new Agent(options), https: new TlsAgent(options) };
}

export function createUpstream(options: { readonly baseUrl: string }): Upstream {
  const base = options.baseUrl.replace(/\/+$/, '');
  const reads = createSender({ keepAlive: true });
  // A kept connection may be closed by the other side just as a POST is written to it. Nobody could
  // tell then whether it was read, so what starts a generation always gets a connection of its own.
  const writes = createSender({ keepAlive: false });
  const closing = new AbortController();

  return {
    call: (call) =>
      callUpstream(call.method === 'POST' ? writes : reads, base, {
        call,
        closing: closing.signal,
        read: async (answer) => await readAnswer(answer),
      }),
    download: (call, options) =>
      callUpstream(reads, base, {
        call,
        closing: closing.signal,
        read: async (answer) =>
          answer.statusCode === 200 ? await save(answer, options) : await readAnswer(answer),
      }),
    close: async () => {
      closing.abort();
      for (const { http, https } of [reads, writes]) {
        http.destroy();
        https.destroy();
      }
    },
  };
}

async function callUpstream<Read>(
  sender: Sender,
  base: string,
  options: {
    readonly call: UpstreamCall;
    readonly closing: AbortSignal;
    readonly read: (answer: IncomingMessage) => Promise<Read>;
  },
): Promise<Read | Exclude<UpstreamOutcome, UpstreamAnswer>> {
  const { call, closing, read } = options;
  const deadline = timeoutSignal(call.timeoutMs);
  const signal = AbortSignal.any([closing, deadline, ...(call.signal ? [call.signal] : [])]);
  const sent = { connected: false };
  try {
    return await read(await send(sender, new URL(base + call.path), { call, signal, sent }));
  } catch (error) {
    if (error instanceof DiskFailure) throw error;
    // Before there was a connection, not a byte of the request left this machine.
    if (!sent.connected) return { kind: 'unsent', detail: reasonOf(error) };
    if (deadline.aborted) return { kind: 'lost', detail: `no answer in ${call.timeoutMs} ms` };
    return { kind: 'lost', detail: reasonOf(error) };
  }
}

async function readAnswer(answer: IncomingMessage): Promise<UpstreamAnswer> {
  const { statusCode: status = 0, headers } = answer;
  // The status alone may already be a verdict: a body that breaks off does not undo the answer.
  const json = parseJson(await readBody(answer).catch(() => undefined));
  return { kind: 'answered', status, headers: firstValues(headers), json };
}

/** Our own disk takes nothing: no word about the upstream, so it is thrown, and not a value. */
class DiskFailure extends Error {}

const diskCodes = new Set([
  ...['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES'],
  ...['EMFILE', 'ENFILE', 'ENOENT', 'ENOTDIR'],
]);

async function save(
  answer: IncomingMessage,
  { into, bytesMax }: { readonly into: string; readonly bytesMax: number },
): Promise<DownloadOutcome> {
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new Error(`more than ${bytesMax} bytes`);
      yield chunk;
    }
  };
  try {
    await pipeline(answer, counted, createWriteStream(into));
  } catch (error) {
    await rm(into, { force: true });
    throw diskCodes.has(codeOf(error) ?? '') ? new DiskFailure(reasonOf(error)) : error;
  }
  const contentType = answer.headers['content-type'] ?? 'application/octet-stream';
  return { kind: 'saved', bytes, contentType };
}

/** Resolves with the header of the answer. `node:http` follows no redirect: a 3xx is an answer. */
function send(
  { http, https }: Sender,
  url: URL,
  { call, signal, sent }: { call: UpstreamCall; signal: AbortSignal; sent: { connected: boolean } },
): Promise<IncomingMessage> {
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
    const started = isTls
      ? tlsRequest(url, { ...options, agent: https })
      : request(url, { ...options, agent: http });
    const patience = timeoutSignal(Math.min(connectMsMax, call.timeoutMs));
    patience.addEventListener('abort', () => {
      if (!sent.connected) started.destroy(new Error(`no connection in ${connectMsMax} ms`));
    });
    started.once('socket', (socket) => {
      const connected = () => {
        sent.connected = true;
      };
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    started.once('error', reject);
    started.once('response', resolve);
    if (call.form) pipeline(call.form.open(), started).catch(reject);
    else started.end(content);
  });
}

async function readBody(answer: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  // An upstream may quote our key where it refuses it, and its words are kept for operators.
  return withoutKnownSecrets(Buffer.concat(chunks).toString());
}

function firstValues(headers: IncomingHttpHeaders): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) values[name] = first;
  }
  return values;
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
