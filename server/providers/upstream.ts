/**
 * HTTP to a configured upstream, for adapters. Never throws for what the network or the upstream
 * does: a call was answered, was never sent, or was lost on the way, and only `unsent` proves that
 * the upstream did nothing.
 */
import { Agent, buildConnector, request } from 'undici';
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

/** The connection was never made: not a byte of the request left this machine. */
class NotConnected extends Error {
  constructor(cause: Error) {
    super(reasonOf(cause), { cause });
    this.name = 'NotConnected';
  }
}

/** Agents whose every failure to connect can be told from a failure later on. */
function createAgent(options: { keepAlive: boolean }): Agent {
  const connect = buildConnector({ timeout: connectMsMax });
  return new Agent({
    maxResponseSize: bodyBytesMax,
    // 0 means one request a connection.
    pipelining: options.keepAlive ? 1 : 0,
    connect: (target, done) => {
      connect(target, (...outcome) => {
        const [error, socket] = outcome;
        if (error) done(new NotConnected(error), null);
        else done(null, socket);
      });
    },
  });
}

export function createUpstream(options: { readonly baseUrl: string }): Upstream {
  const base = options.baseUrl.replace(/\/+$/, '');
  const reads = createAgent({ keepAlive: true });
  // A kept connection may be closed by the other side just as a POST is written to it. Nobody could
  // tell then whether it was read, so what starts a generation always gets a connection of its own.
  const writes = createAgent({ keepAlive: false });

  return {
    call: (call) => callUpstream(call.method === 'POST' ? writes : reads, base, call),
    close: async () => {
      await Promise.all([reads.destroy(), writes.destroy()]);
    },
  };
}

async function callUpstream(
  agent: Agent,
  base: string,
  call: UpstreamCall,
): Promise<UpstreamOutcome> {
  const deadline = timeoutSignal(call.timeoutMs);
  try {
    // undici follows no redirect unless told to: one comes back as an answer with its 3xx.
    const answer = await request(base + call.path, {
      dispatcher: agent,
      method: call.method,
      headers: {
        accept: 'application/json',
        'user-agent': 'vidgen',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      headersTimeout: call.timeoutMs,
      bodyTimeout: call.timeoutMs,
      signal: call.signal ? AbortSignal.any([call.signal, deadline]) : deadline,
    });
    // The status alone may already be a verdict, so a body that breaks off does not undo the
    // answer.
    const text = await answer.body.text().catch(() => undefined);
    return {
      kind: 'answered',
      status: answer.statusCode,
      headers: firstValues(answer.headers),
      json: parseJson(text),
    };
  } catch (error) {
    if (error instanceof NotConnected) return { kind: 'unsent', detail: error.message };
    const code = codeOf(error);
    // The request itself is impossible (a key with a line break in it): it was never written.
    if (code === 'UND_ERR_INVALID_ARG') return { kind: 'unsent', detail: reasonOf(error) };
    if (deadline.aborted) return { kind: 'lost', detail: `no answer in ${call.timeoutMs} ms` };
    return { kind: 'lost', detail: reasonOf(error) };
  }
}

function firstValues(headers: Record<string, string | string[] | undefined>) {
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
