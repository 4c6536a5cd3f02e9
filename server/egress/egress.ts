/**
 * The one door to addresses that a customer or an upstream named: callbacks, materials, results.
 * Nothing that the world does throws here; it is an outcome with a code that is safe to show.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { elapsedMs } from '../clock.ts';
import { type Network, type Reach, readOwnNetworks } from './address.ts';
import { type CheckedAddress, checkAddress } from './checked-url.ts';
import { createDial, type Dial, type Guard } from './connect.ts';
import { startDeadline } from './deadline.ts';
import { exchange, readCapped, readStart } from './exchange.ts';
import { EgressFailure, type FailureCode, failureOf } from './failure.ts';
import { createPlaces } from './places.ts';
import type { AddressKind } from './ports.ts';
import { follow } from './redirects.ts';
import { resolveName } from './resolve.ts';
import { save } from './save.ts';

export type EgressOptions = {
  readonly allowedNetworks: readonly Network[];
  /** DNS servers as `address:port`; the machine's own when absent. */
  readonly resolverServers?: readonly string[];
  readonly dial?: Dial;
  /** Sockets a host for materials at once; more wait, inside their deadline. */
  readonly connectionsPerHostMax?: number;
};

export type Failed = {
  readonly outcome: 'failed';
  readonly error: FailureCode;
  readonly durationMs: number;
};

export type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly deadlineMs: number;
  /** What is kept of the answer's body; the rest is cut. */
  readonly answerBytesMax: number;
};

/** The status counts from the moment its header is here, whatever the body does after. */
export type Posted =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      readonly body: string;
      /** Until the status was known. */
      readonly durationMs: number;
    }
  | Failed;

export type GetRequest = {
  readonly url: string;
  readonly kind: 'material' | 'result';
  readonly headers?: Readonly<Record<string, string>>;
  /** For everything: places, redirects and the last byte of the stream. */
  readonly deadlineMs: number;
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
};

export type Got =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** Read once. Throws `EgressFailure`, after the last good byte, when it does not end well. */
      readonly stream: AsyncIterable<Uint8Array>;
      /** Closes an answer whose stream is not wanted; the deadline does it otherwise. */
      discard(): void;
      /** Where the redirects ended. */
      readonly url: string;
    }
  | Failed;

export type DownloadRequest = GetRequest & { readonly into: string };

export type Downloaded =
  | { readonly outcome: 'saved'; readonly bytes: number; readonly contentType: string | null }
  /** Any status but 200: nothing was saved. */
  | { readonly outcome: 'answered'; readonly status: number }
  | Failed;

export type Egress = {
  /** Judges the text alone: no look-up, no connection. */
  check(text: string, kind: AddressKind): CheckedAddress;
  /** One callback: no redirect is followed. */
  post(request: PostRequest): Promise<Posted>;
  /** Up to 3 redirects, each judged like the first. */
  get(request: GetRequest): Promise<Got>;
  /** The file appears under its name only when it is whole. Throws when the disk fails. */
  download(request: DownloadRequest): Promise<Downloaded>;
  /** Ends what is under way as `cancelled`, and everything asked for later. */
  close(): void;
};

/** What the four doors share. */
type Inside = {
  readonly guard: Guard;
  /** Its owners did not ask to be looked at: materials queue for their host. */
  readonly materialGuard: Guard;
  readonly closing: AbortSignal;
};

// Decisions, "Looking is bounded".
const connectionsPerHostDefault = 4;

export function createEgress(options: EgressOptions): Egress {
  const { allowedNetworks, resolverServers: servers } = options;
  const reach: Reach = { allowedNetworks, ownNetworks: readOwnNetworks() };
  const closing = new AbortController();
  const guard: Guard = {
    reach,
    dial: options.dial ?? createDial(reach),
    resolve: (name, signal) =>
      resolveName(name, { signal, ...(servers === undefined ? {} : { servers }) }),
  };
  const places = createPlaces(options.connectionsPerHostMax ?? connectionsPerHostDefault);
  const inside: Inside = {
    guard,
    materialGuard: { ...guard, places },
    closing: closing.signal,
  };
  return {
    check: (text, kind) => checkAddress(text, { kind, ...reach }),
    post: (request) => post(inside, request),
    get: (request) => get(inside, request),
    download: (request) => download(inside, request),
    close: () => closing.abort(),
  };
}

const failed = (error: unknown, startedMs: number): Failed => ({
  outcome: 'failed',
  error: failureOf(error),
  durationMs: elapsedMs() - startedMs,
});

async function post({ guard, closing }: Inside, request: PostRequest): Promise<Posted> {
  const startedMs = elapsedMs();
  const deadline = startDeadline(request.deadlineMs, [closing]);
  try {
    const verdict = checkAddress(request.url, { kind: 'callback', ...guard.reach });
    if (!verdict.ok) throw new EgressFailure('refused_address');
    const { headers, body, answerBytesMax } = request;
    const { signal } = deadline;
    const answer = await exchange(guard, {
      url: verdict.url,
      method: 'POST',
      headers,
      body,
      answerBytesMax,
      signal,
    });
    const durationMs = elapsedMs() - startedMs;
    const text = await readStart(answer.body, answerBytesMax);
    return { outcome: 'answered', status: answer.status, body: text, durationMs };
  } catch (error) {
    return failed(error, startedMs);
  } finally {
    deadline.stop();
  }
}

async function get({ guard, materialGuard, closing }: Inside, request: GetRequest): Promise<Got> {
  const startedMs = elapsedMs();
  const deadline = startDeadline(request.deadlineMs, [closing, request.signal]);
  try {
    const { url, kind, headers = {} } = request;
    const first = { url, kind, headers, signal: deadline.signal };
    const kindGuard = kind === 'material' ? materialGuard : guard;
    const { answer, url: last } = await follow(kindGuard, first);
    answer.body.once('close', deadline.stop);
    return {
      outcome: 'answered',
      status: answer.status,
      headers: answer.headers,
      stream: readCapped(answer.body, request.bytesMax),
      discard: () => answer.body.destroy(),
      url: last.href,
    };
  } catch (error) {
    deadline.stop();
    return failed(error, startedMs);
  }
}

async function download(inside: Inside, request: DownloadRequest): Promise<Downloaded> {
  const startedMs = elapsedMs();
  const answer = await get(inside, request);
  if (answer.outcome === 'failed') return answer;
  if (answer.status !== 200) {
    answer.discard();
    return { outcome: 'answered', status: answer.status };
  }
  try {
    const bytes = await save(answer.stream, request.into);
    return { outcome: 'saved', bytes, contentType: answer.headers['content-type'] ?? null };
  } catch (error) {
    answer.discard();
    if (error instanceof EgressFailure) return failed(error, startedMs);
    throw error;
  }
}
