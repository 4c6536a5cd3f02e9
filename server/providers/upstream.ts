/**
 * HTTP to a configured upstream, for adapters. Never throws for what the network or the upstream
 * does: a call was answered, was never sent, or was lost on the way, and only `unsent` proves that
 * the upstream did nothing.
 */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { timeoutSignal } from '../clock.ts';

export type UpstreamCall = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Appended to the base address; parts that come from elsewhere must be encoded by the caller. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
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

export interface Upstream {
  call(call: UpstreamCall): Promise<UpstreamOutcome>;
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
      callUpstream(call.method === 'POST' ? writes : reads, base, call, closing.signal),
    close: async () => {
      closing.abort();
      for (const { http, https } of [reads, writes]) {
        http.destroy();
        https.destroy();
      }
    },
  };
}

async function callUpstream(
  sender: Sender,
  base: string,
  call: UpstreamCall,
  closing: AbortSignal,
): Promise<UpstreamOutcome> {
  const deadline = timeoutSignal(call.timeoutMs);
  const signal = AbortSignal.any([closing, deadline, ...(call.signal ? [call.signal] : [])]);
  const sent = { connected: false };
  try {
    const answer = await send(sender, new URL(base + call.path), { call, signal, sent });
    const { statusCode: status = 0, headers } = answer;
    // The status alone may already be a verdict: a body that breaks off does not undo the answer.
    const json = parseJson(await readBody(answer).catch(() => undefined));
    return { kind: 'answered', status, headers: firstValues(headers), json };
  } catch (error) {
    // Before there was a connection, not a byte of the request left this machine.
    if (!sent.connected) return { kind: 'unsent', detail: reasonOf(error) };
    if (deadline.aborted) return { kind: 'lost', detail: `no answer in ${call.timeoutMs} ms` };
    return { kind: 'lost', detail: reasonOf(error) };
  }
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
    started.end(content);
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
  return Buffer.concat(chunks).toString();
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
