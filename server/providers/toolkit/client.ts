/**
 * Calls to one upstream with its API key, a timeout and, for reads, a rate limit. The key is only
 * ever sent to the configured host.
 */
import assert from 'node:assert/strict';
import type { DownloadFile, PollTurn } from '../provider.ts';
import { type CallThrottle, createThrottle } from './call-throttle.ts';
import {
  createUpstream,
  type DownloadOutcome,
  type OpenSocket,
  type UpstreamCall,
  type UpstreamOutcome,
} from './upstream.ts';

/** What an adapter that calls an HTTP API can be configured with. */
export type CallOptions = {
  /** Called for every request, so that a key can be rotated while tasks run; empty for none. */
  readonly apiKey: () => string;
  readonly createTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** Reads per second of this process; less when several processes share the account. */
  readonly getPerSecond?: number;
  /** Instead of connecting to the host of the base URL, which must have http then. */
  readonly openSocket?: OpenSocket;
};

export type ClientOptions = CallOptions & { readonly baseUrl: string };

export type SaveOptions = Parameters<DownloadFile>[0];

/** `redirected`: the file is on another host, which must not get the key. */
export type SaveOutcome = DownloadOutcome | { readonly kind: 'redirected'; readonly url: string };

/** `throttled`: not sent, because too many other reads wait. Says nothing about the operation. */
export type ReadResult =
  | UpstreamOutcome
  | { readonly kind: 'throttled'; readonly waitSeconds: number };

/** Of reads that are no polls, all is left out. */
export type ReadTurn = Partial<PollTurn>;

type RequestOptions = Partial<
  Pick<UpstreamCall, 'body' | 'form' | 'headers' | 'timeoutMs' | 'bodyBytesMax'>
> & {
  readonly signal?: AbortSignal | undefined;
};

type ReadOptions = ReadTurn & {
  readonly method?: UpstreamCall['method'];
  /** Of a read by POST. */
  readonly body?: unknown;
  readonly bodyBytesMax?: number | undefined;
  /** Instead of the client's own. */
  readonly throttle?: CallThrottle;
  readonly waitMsMax?: number;
};

export type Client = ReturnType<typeof createClient>;

const defaults = { readTimeoutMs: 20_000, getPerSecond: 20 };
/** How long a read waits for its turn. */
export const readWaitMsMax = 5_000;
const downloadMsMax = 5 * 60_000;

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export function createClient(
  options: ClientOptions & {
    /** The headers that carry the key: `Authorization: Bearer` by default. */
    readonly authorization?: (key: string) => Readonly<Record<string, string>>;
    /** Sent with every request, also with downloads. */
    readonly headers?: Readonly<Record<string, string>> | undefined;
  },
) {
  const { readTimeoutMs, getPerSecond } = { ...defaults, ...options };
  const { authorization = bearer } = options;
  const { origin, pathname } = new URL(options.baseUrl);
  const basePath = pathname.replace(/\/{1,9}$/, '');
  const upstream = createUpstream({ baseUrl: origin, openSocket: options.openSocket });
  const throttle = createThrottle({ perSecond: getPerSecond });
  const keyHeaders = () => {
    const key = options.apiKey();
    return key === '' ? {} : authorization(key);
  };

  const call = (
    method: UpstreamCall['method'],
    path: string,
    { headers, ...request }: RequestOptions = {},
  ): Promise<UpstreamOutcome> =>
    upstream.call({
      method,
      path: basePath + path,
      headers: { ...options.headers, ...headers, ...keyHeaders() },
      timeoutMs: readTimeoutMs,
      ...request,
    });

  const download = (url: URL, { signal, ...target }: SaveOptions): Promise<DownloadOutcome> => {
    assert(url.origin === origin, 'the API key is only sent to the configured host');
    const path = url.pathname + url.search;
    const headers = { ...options.headers, ...keyHeaders(), accept: '*/*' };
    const timeoutMs = downloadMsMax;
    return upstream.download({ method: 'GET', path, headers, timeoutMs, signal }, target);
  };

  return {
    /** Calls at once. */
    call,
    /** Waits for the throttle, then calls. */
    async read(
      path: string,
      { method = 'GET', body, bodyBytesMax, ...options }: ReadOptions = {},
    ): Promise<ReadResult> {
      const { signal, ageSeconds, isLast } = options;
      const { throttle: usedThrottle = throttle, waitMsMax = readWaitMsMax } = options;
      const turn = { signal, ageSeconds, isLast } as ReadTurn;
      const grant = await usedThrottle.acquire({ ...turn, waitMsMax });
      if (!grant.granted) return { kind: 'throttled', waitSeconds: grant.waitSeconds };
      return await call(method, path, { signal, body, bodyBytesMax });
    },
    /**
     * Downloads a path below the base URL, or a full URL on the configured host. Follows one
     * redirect on that host.
     */
    async save(pathOrUrl: string, options: SaveOptions): Promise<SaveOutcome> {
      const isPath = pathOrUrl.startsWith('/');
      const url = new URL(isPath ? origin + basePath + pathOrUrl : pathOrUrl);
      const outcome = await download(url, options);
      const redirect = redirectIn(outcome, url);
      if (!redirect) return outcome;
      if (redirect.origin === origin) return await download(redirect, options);
      return { kind: 'redirected', url: redirect.href };
    },
    /** Returns the full URL of a file on the configured host, or null for any other host. */
    resolveOnHost(urlOrPath: string): string | null {
      if (!URL.canParse(urlOrPath, origin)) return null;
      const url = new URL(urlOrPath, origin);
      return url.origin === origin ? url.href : null;
    },
    /** The throttle of `read`, for an adapter that schedules its reads itself. */
    throttle,
    close: () => upstream.close(),
  };
}

const redirectStatuses = [301, 302, 303, 307, 308];

function redirectIn(outcome: DownloadOutcome, from: URL): URL | undefined {
  if (outcome.kind !== 'response' || !redirectStatuses.includes(outcome.status)) return undefined;
  // Servers send URLs in raw UTF-8, which Node decodes as latin1.
  const location = Buffer.from(outcome.headers.location ?? '', 'latin1').toString();
  return location !== '' && URL.canParse(location, from) ? new URL(location, from) : undefined;
}
