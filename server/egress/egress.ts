/**
 * The only way to request URLs named by a customer or an upstream: callbacks, materials, results.
 * Network failures do not throw; they are results with a code that is safe to show.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { monotonicMs } from '../process/clock.ts';
import { type CheckedUrl, checkUrl, type UrlKind } from './check-url.ts';
import type { ChunkAllowance } from './chunk-limit.ts';
import { createDial, type Dial, type Guard } from './connect.ts';
import { ConnectionPool } from './connection-pool.ts';
import { createDeadlines, type Deadlines } from './deadline.ts';
import { EgressFailure, type FailureCode, toFailureCode } from './failure.ts';
import { readCapped, readPrefix, sendRequest } from './guarded-request.ts';
import { type Network, type ReachPolicy, readOwnNetworks } from './ip-address.ts';
import { createKeyedSemaphore } from './keyed-semaphore.ts';
import { followRedirects } from './redirects.ts';
import { resolveName } from './resolve.ts';
import { type SaveInto, saveStream } from './save-stream.ts';

export type EgressOptions = {
  readonly allowedNetworks: readonly Network[];
  /** DNS servers as `address:port`; defaults to those of the machine. */
  readonly resolverServers?: readonly string[];
  readonly dial?: Dial;
  /** Concurrent sockets per host for materials; further requests wait within their deadline. */
  readonly connectionsPerHostMax?: number;
};

export type FailedRequest = {
  readonly outcome: 'failed';
  readonly error: FailureCode;
  readonly durationMs: number;
};

type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly deadlineMs: number;
  /** The response body is truncated to this size. */
  readonly responseBytesMax: number;
};

/** The status counts as soon as the headers have arrived, whatever happens to the body. */
type PostResult =
  | {
      readonly outcome: 'response';
      readonly status: number;
      readonly body: string;
      /** Until the status was received. */
      readonly durationMs: number;
    }
  | FailedRequest;

export type GetRequest = {
  readonly url: string;
  readonly kind: 'material' | 'result';
  readonly headers?: Readonly<Record<string, string>>;
  /** For the whole exchange: waiting for a slot, redirects and the last byte of the stream. */
  readonly deadlineMs: number;
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
  /** Counts the chunks of the response together with those of others. */
  readonly chunks?: ChunkAllowance;
};

export type GetResult =
  | {
      readonly outcome: 'response';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /**
       * Can be read once. Throws `EgressFailure` after the last good byte if the response is cut
       * short.
       */
      readonly stream: AsyncIterable<Uint8Array>;
      /** Closes a response whose stream is not needed; otherwise the deadline closes it. */
      discard(): void;
      /** The URL after redirects. */
      readonly url: string;
    }
  | FailedRequest;

type DownloadRequest = GetRequest & { readonly into: SaveInto };

export type EgressDownload =
  | { readonly outcome: 'saved'; readonly bytes: number; readonly contentType: string | null }
  /** Any status but 200; nothing was saved. */
  | { readonly outcome: 'response'; readonly status: number }
  | FailedRequest;

export type Egress = {
  /** Checks the text only, without DNS or a connection. */
  check(text: string, kind: UrlKind): CheckedUrl;
  /** Sends one webhook request; redirects are not followed. */
  post(request: PostRequest): Promise<PostResult>;
  /** Follows up to 3 redirects, each checked like the first URL. */
  get(request: GetRequest): Promise<GetResult>;
  /** The file appears under its name only when it is complete. Throws if the disk fails. */
  download(request: DownloadRequest): Promise<EgressDownload>;
  /** Ends requests in progress, and all later ones, as `cancelled`. */
  close(): void;
};

type EgressContext = {
  /** Keeps connections: many results come from one host. Downloads do not wait for each other. */
  readonly resultGuard: Guard;
  /** Keeps connections: a receiver gets many webhooks. */
  readonly callbackGuard: Guard;
  /** Limits sockets per host, because hosts of materials did not agree to be probed. */
  readonly materialGuard: Guard;
  readonly deadlines: Deadlines;
  readonly checkCallback: (text: string) => CheckedUrl;
};

// Decision 0001, "Looking is bounded".
const connectionsPerHostDefault = 4;
/** Of up to 2,048 characters each. */
const checkedUrlsMax = 500;

export function createEgress(options: EgressOptions): Egress {
  const { allowedNetworks, resolverServers: servers } = options;
  const policy: ReachPolicy = { allowedNetworks, ownNetworks: readOwnNetworks() };
  const deadlines = createDeadlines();
  const guard: Guard = {
    policy,
    dial: options.dial ?? createDial(policy),
    resolve: (name, signal) =>
      resolveName(name, { signal, ...(servers === undefined ? {} : { servers }) }),
  };
  const connectionSlots = createKeyedSemaphore(
    options.connectionsPerHostMax ?? connectionsPerHostDefault,
  );
  const pool = new ConnectionPool();
  const resultPool = new ConnectionPool({ opensAtOnce: true, idlePerTargetMax: 16 });
  const context: EgressContext = {
    resultGuard: { ...guard, pool: resultPool },
    callbackGuard: { ...guard, pool },
    materialGuard: { ...guard, connectionSlots },
    deadlines,
    checkCallback: createCallbackCheck(policy),
  };
  return {
    check: (text, kind) =>
      kind === 'callback' ? context.checkCallback(text) : checkUrl(text, { kind, ...policy }),
    post: (request) => post(context, request),
    get: (request) => get(context, request),
    download: (request) => download(context, request),
    close() {
      deadlines.close();
      pool.close();
      resultPool.close();
    },
  };
}

/** Many tasks name one URL, which gets many webhooks, and the result depends on its text alone. */
function createCallbackCheck(policy: ReachPolicy): (text: string) => CheckedUrl {
  const checked = new Map<string, CheckedUrl>();
  return (text) => {
    const known = checked.get(text);
    if (known) return known;
    const result = checkUrl(text, { kind: 'callback', ...policy });
    // The others can be of any length.
    if (!result.ok) return result;
    if (checked.size >= checkedUrlsMax) checked.clear();
    checked.set(text, result);
    return result;
  };
}

const failedRequest = (error: unknown, startedMs: number): FailedRequest => ({
  outcome: 'failed',
  error: toFailureCode(error),
  durationMs: monotonicMs() - startedMs,
});

async function post(
  { callbackGuard: guard, deadlines, checkCallback }: EgressContext,
  request: PostRequest,
): Promise<PostResult> {
  const startedMs = monotonicMs();
  const deadline = deadlines.start(request.deadlineMs);
  try {
    const checked = checkCallback(request.url);
    if (!checked.ok) throw new EgressFailure('refused_address');
    const { headers, body, responseBytesMax } = request;
    const response = await sendRequest(guard, {
      url: checked.url,
      method: 'POST',
      headers,
      body,
      responseBytesMax,
      signal: deadline.signal,
    });
    const durationMs = monotonicMs() - startedMs;
    const text = await readPrefix(response.body, responseBytesMax);
    return { outcome: 'response', status: response.status, body: text, durationMs };
  } catch (error) {
    return failedRequest(error, startedMs);
  } finally {
    deadline.stop();
  }
}

async function get(
  { resultGuard, materialGuard, deadlines }: EgressContext,
  request: GetRequest,
): Promise<GetResult> {
  const startedMs = monotonicMs();
  const deadline = deadlines.start(request.deadlineMs, request.signal);
  try {
    if (request.chunks?.isExceeded) throw new EgressFailure('protocol');
    const { url, kind, headers = {} } = request;
    const start = { url, kind, headers, signal: deadline.signal, chunks: request.chunks };
    const kindGuard = kind === 'material' ? materialGuard : resultGuard;
    const { response, url: finalUrl } = await followRedirects(kindGuard, start);
    response.body.once('close', deadline.stop);
    return {
      outcome: 'response',
      status: response.status,
      headers: response.headers,
      stream: readCapped(response.body, request.bytesMax),
      discard: () => response.body.destroy(),
      url: finalUrl.href,
    };
  } catch (error) {
    deadline.stop();
    return failedRequest(error, startedMs);
  }
}

async function download(context: EgressContext, request: DownloadRequest): Promise<EgressDownload> {
  const startedMs = monotonicMs();
  const response = await get(context, request);
  if (response.outcome === 'failed') return response;
  if (response.status !== 200) {
    response.discard();
    return { outcome: 'response', status: response.status };
  }
  try {
    const bytes = await saveStream(response.stream, request.into);
    return { outcome: 'saved', bytes, contentType: response.headers['content-type'] ?? null };
  } catch (error) {
    response.discard();
    if (error instanceof EgressFailure) return failedRequest(error, startedMs);
    throw error;
  }
}
