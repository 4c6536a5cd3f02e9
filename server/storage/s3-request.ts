/**
 * One request to an object store: signed, repeated while that can help, and bounded in time. Fails
 * with a `StorageError`. Credentials that were replaced and a clock that is off are corrected once.
 */
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { lookupOperatorHost, requireOperatorHost } from '../config/operator-host.ts';
import { nowMs, sleep } from '../process/clock.ts';
import type { CredentialSource } from './s3-credentials.ts';
import { type S3Settings, s3Location } from './s3-settings.ts';
import {
  encodePath,
  encodeQuery,
  presignQuery,
  type Signing,
  sha256Hex,
  signRequest,
} from './s3-signature.ts';
import { StorageError, type StorageErrorKind } from './storage.ts';

export type S3Request = {
  /** As S3 names it, for messages. */
  readonly operation: string;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without the prefix of the settings; null is the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
};

export type PresignedRequest = {
  readonly method: 'GET' | 'HEAD';
  readonly key: string;
  readonly seconds: number;
  readonly query: Readonly<Record<string, string>>;
};

export type S3Options = {
  readonly settings: S3Settings;
  readonly credentials: CredentialSource;
  /** Without a byte in either direction. */
  readonly inactivityMs?: number;
  readonly retryDelayMs?: number;
};

// An import of `node:http` would also load Node's `fetch`, which takes 11 MB.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

const attemptsMax = 4;
const socketsMax = 64;
/** A difference that no store rejects; S3 allows 15 minutes. */
const skewMsMax = 60_000;
/** A page of 1,000 keys has a few hundred kilobytes. */
const bodyBytesMax = 8 * 1024 ** 2;

export class S3Connection {
  readonly #options: S3Options;
  readonly #location: ReturnType<typeof s3Location>;
  readonly #agent: Agent;
  /** The store's clock minus ours, once the store has refused ours. */
  #clockOffsetMs = 0;

  constructor(options: S3Options) {
    this.#options = options;
    this.#location = s3Location(options.settings, options.settings.endpoint);
    const AgentOfScheme = this.#isSecure ? HttpsAgent : HttpAgent;
    const lookup = lookupOperatorHost;
    this.#agent = new AgentOfScheme({ keepAlive: true, maxSockets: socketsMax, lookup });
  }

  /** Returns the response with its body, which is XML or empty. */
  async send(request: S3Request): Promise<{ headers: IncomingHttpHeaders; body: string }> {
    return await this.#run(request, async (response) => ({
      headers: response.headers,
      body: await readText(response),
    }));
  }

  /** Returns as soon as the headers have arrived; the caller reads or destroys the body. */
  async open(request: S3Request): Promise<IncomingMessage> {
    return await this.#run(request, async (response) => response);
  }

  /** Returns a URL that anyone can use with this method for so many seconds. */
  async presign({ key, ...request }: PresignedRequest): Promise<string> {
    const { settings } = this.#options;
    const { host, origin } = s3Location(settings, settings.publicEndpoint);
    const path = this.#objectPath(key);
    const query = presignQuery({ ...request, host, path }, await this.#signing());
    return `${origin}${encodePath(path)}?${query}`;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #run<T>(request: S3Request, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
    const { signal } = request;
    const { retryDelayMs = 200 } = this.#options;
    const seen = new Set<NextAttempt>();
    for (let number = 1; ; number++) {
      signal?.throwIfAborted();
      const result = await this.#attempt(request, { read, isRejected: seen.has('rejected') });
      if ('value' in result) return result.value;
      const { error, next } = result;
      const isRepeated = next !== 'later' && seen.has(next);
      if (next === 'none' || isRepeated || number === attemptsMax) throw error;
      seen.add(next);
      if (next !== 'later') continue;
      await sleep(retryDelayMs * 2 ** (number - 1) * (0.5 + Math.random()), signal);
    }
  }

  /** Returns what was read, or how it failed and what could help. */
  async #attempt<T>(
    request: S3Request,
    { read, isRejected }: { read: (response: IncomingMessage) => Promise<T>; isRejected: boolean },
  ): Promise<{ readonly value: T } | { readonly error: Error; readonly next: NextAttempt }> {
    const { operation } = request;
    const signing = await this.#signing({ isRejected });
    try {
      const response = await this.#exchange(request, signing);
      const { statusCode: status = 0 } = response;
      if (status >= 200 && status < 300) return { value: await read(response) };
      const failure = failureOf(status, await readText(response).catch(() => ''));
      const error = s3Error(operation, failure);
      const storeMs = Date.parse(response.headers.date ?? '');
      // The response to HEAD has no code.
      const isUnclear = status === 403 && failure.code === '';
      const isSkewed = isUnclear && Math.abs(storeMs - signing.atMs) > skewMsMax;
      if (isSkewed || failure.code === 'RequestTimeTooSkewed') {
        this.#clockOffsetMs = storeMs - nowMs() || 0;
        return { error, next: 'corrected' };
      }
      if (isCredentialFailure(failure)) return { error, next: 'rejected' };
      return { error, next: canRetry(failure) ? 'later' : 'none' };
    } catch (error) {
      request.signal?.throwIfAborted();
      return { error: connectionError(operation, error), next: 'later' };
    }
  }

  #exchange(request: S3Request, signing: Signing): Promise<IncomingMessage> {
    const { method, body, query = {}, headers = {}, signal } = request;
    const { inactivityMs = 20_000 } = this.#options;
    const { host, origin } = this.#location;
    const path = this.#objectPath(request.key);
    const payload = sha256Hex(body ?? '');
    const signed = signRequest({ method, host, path, query, headers, payload }, signing);
    const search = encodeQuery(query);
    const hasBody = method === 'PUT' || method === 'POST';
    const length = hasBody ? { 'content-length': body?.byteLength ?? 0 } : {};
    return new Promise((resolve, reject) => {
      requireOperatorHost(new URL(origin).hostname);
      const sent = (this.#isSecure ? httpsRequest : httpRequest)(origin, {
        agent: this.#agent,
        method,
        path: encodePath(path) + (search && `?${search}`),
        headers: { ...signed, ...length },
        ...(signal ? { signal } : {}),
      });
      sent.setTimeout(inactivityMs, () => {
        sent.destroy(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' }));
      });
      sent.on('response', resolve);
      // Also after the response: a store may refuse a body and close before it has read all of it.
      sent.on('error', reject);
      sent.end(body);
    });
  }

  async #signing(options?: { readonly isRejected: boolean }): Promise<Signing> {
    const { settings, credentials } = this.#options;
    const used = await credentials(options);
    return { credentials: used, region: settings.region, atMs: nowMs() + this.#clockOffsetMs };
  }

  get #isSecure(): boolean {
    return this.#location.origin.startsWith('https:');
  }

  #objectPath(key: string | null): string {
    const { basePath } = this.#location;
    return key === null ? basePath || '/' : `${basePath}/${this.#options.settings.prefix}${key}`;
  }
}

/** `corrected` and `rejected` are tried once more each, with another clock or credentials. */
type NextAttempt = 'none' | 'later' | 'corrected' | 'rejected';

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the response of the store is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The text of the first element of this name; null if there is none. */
export function elementText(xml: string, name: string): string | null {
  const [first] = elementsOf(xml, name);
  return first === undefined ? null : unescapeXml(first);
}

/** The inner text of every element of this name, still escaped. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const open = `<${name}>`;
  const close = `</${name}>`;
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at);
    if (end < 0) break;
    found.push(xml.slice(at + open.length, end));
    at = end + close.length;
  }
  return found;
}

const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g,
    (whole, hex, code, name) => {
      if (name !== undefined) return named[name as string] ?? whole;
      const point = hex === undefined ? Number(code) : Number.parseInt(hex as string, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export type S3Failure = {
  readonly status: number;
  /** The store's own code; empty if the response has no body, as that to HEAD. */
  readonly code: string;
};

const kindOfCode: Readonly<Record<string, StorageErrorKind>> = {
  NoSuchKey: 'not_found',
  NoSuchUpload: 'not_found',
  NoSuchBucket: 'not_found',
  PreconditionFailed: 'exists',
  ConditionalRequestConflict: 'exists',
  SlowDown: 'throttled',
  Throttling: 'throttled',
  TooManyRequests: 'throttled',
  RequestTimeout: 'unreachable',
  QuotaExceeded: 'full',
  EntityTooLarge: 'full',
  InsufficientStorage: 'full',
  XMinioStorageFull: 'full',
  BadDigest: 'damaged',
  XAmzContentSHA256Mismatch: 'damaged',
  ExpiredToken: 'not_allowed',
};

const kindOfStatus: Readonly<Record<number, StorageErrorKind>> = {
  401: 'not_allowed',
  403: 'not_allowed',
  404: 'not_found',
  // Another region, or another endpoint.
  301: 'not_allowed',
  307: 'not_allowed',
  408: 'unreachable',
  409: 'exists',
  412: 'exists',
  413: 'full',
  429: 'throttled',
  502: 'unreachable',
  503: 'throttled',
  504: 'unreachable',
  507: 'full',
};

const remedies: Readonly<Record<StorageErrorKind, string>> = {
  not_found: 'it was deleted or never stored',
  not_allowed: 'check the credentials and the policy of the bucket',
  throttled: 'it is retried; raise the request limit of the store if this continues',
  unreachable: 'it is retried; check the endpoint and the network',
  full: 'free space in the bucket or raise its quota',
  exists: 'another writer was first',
  damaged: 'it is sent again; check the network and proxies in front of the store',
  failed: 'see the message of the store',
};

const remedyOfCode: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create the bucket, or correct its name in VIDGEN_STORAGE_URL',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY, and region and endpoint of the URL',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID',
  ExpiredToken: 'the credentials have expired; provide new ones',
  RequestTimeTooSkewed: 'set the clock of this machine',
  AuthorizationHeaderMalformed: 'set the region of VIDGEN_STORAGE_URL to that of the bucket',
  PermanentRedirect: 'set region and endpoint of VIDGEN_STORAGE_URL to those of the bucket',
};

const failureOf = (status: number, body: string): S3Failure => ({
  status,
  code: elementText(body, 'Code') ?? '',
});

export function s3Error(operation: string, { status, code }: S3Failure): StorageError {
  const kind = kindOfCode[code] ?? kindOfStatus[status] ?? 'failed';
  const remedy = remedyOfCode[code] ?? remedies[kind];
  const response = [status, code].filter((part) => part !== '').join(' ');
  const message = `${operation} at the object store failed (${response}); ${remedy}`;
  return new StorageError(kind, { code: code || String(status), message });
}

function connectionError(operation: string, cause: unknown): StorageError {
  const { code = 'no response' } = cause as NodeJS.ErrnoException;
  const message = `${operation} at the object store failed (${code}); ${remedies.unreachable}`;
  return new StorageError('unreachable', { code, message, cause });
}

/** Whether the same request can succeed in a moment. */
const canRetry = ({ status, code }: S3Failure): boolean =>
  [408, 429, 500, 502, 503, 504].includes(status) ||
  ['SlowDown', 'RequestTimeout', 'InternalError', 'BadDigest'].includes(code) ||
  code === 'XAmzContentSHA256Mismatch';

/** Whether other credentials could be accepted. */
const isCredentialFailure = ({ status, code }: S3Failure): boolean =>
  ['ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'TokenRefreshRequired'].includes(code) ||
  code === 'SignatureDoesNotMatch' ||
  (status === 403 && code === '');
