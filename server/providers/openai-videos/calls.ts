/**
 * The calls of `/v1/videos`, authorised and timed. Our key goes to the configured host only: an
 * address that an answer names is used here when it is on that very host, and nowhere else.
 */
import assert from 'node:assert/strict';
import { createForm, type FormPart } from '../multipart.ts';
import { createPace } from '../pace.ts';
import { createUpstream, type DownloadOutcome, type UpstreamOutcome } from '../upstream.ts';
import type { Dialect } from './dialect.ts';
import type { FirstFrame } from './first-frame.ts';
import type { Fields } from './wire.ts';

export type VideoCallOptions = {
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
  /** Asked for at every call, so that a key can be changed while tasks run; empty for none. */
  readonly apiKey: () => string;
  readonly createTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** Looks at videos a second. */
  readonly getPerSecond?: number;
};

/** A look at the upstream; `busy` when too many others wait for their turn to look. */
export type Reading = UpstreamOutcome | { readonly kind: 'busy'; readonly waitSeconds: number };

type Saving = { readonly into: string; readonly bytesMax: number; readonly signal: AbortSignal };

export type VideoCalls = {
  readonly createTimeoutMs: number;
  create(fields: Fields, firstFrame: FirstFrame | null): Promise<UpstreamOutcome>;
  get(operation: string, signal?: AbortSignal): Promise<Reading>;
  list(query: string): Promise<UpstreamOutcome>;
  /** Erases, and only in some dialects stops: never to be called blindly. */
  delete(operation: string): Promise<UpstreamOutcome>;
  content(operation: string, saving: Saving): Promise<DownloadOutcome>;
  /** Whether an address is on the configured host. */
  isOwn(url: string): boolean;
  /** With our key: for an address on the configured host. */
  fetchOwn(url: string, saving: Saving): Promise<DownloadOutcome>;
  close(): Promise<void>;
};

const getWaitMsMax = 5_000;
const downloadMsMax = 5 * 60_000;

export function createVideoCalls(dialect: Dialect, options: VideoCallOptions): VideoCalls {
  const upstream = createUpstream({ baseUrl: options.baseUrl });
  const { origin } = new URL(options.baseUrl);
  const host = createUpstream({ baseUrl: origin });
  // A picture is uploaded first, and some servers read it whole before they answer.
  const createTimeoutMs = options.createTimeoutMs ?? 90_000;
  const timeoutMs = options.readTimeoutMs ?? 20_000;
  const gets = createPace({ perSecond: options.getPerSecond ?? 20 });
  const headers = (): Record<string, string> => {
    const key = options.apiKey();
    return key === '' ? {} : { authorization: `Bearer ${key}` };
  };
  const saved = (from: typeof upstream, path: string, { signal, ...limits }: Saving) =>
    from.download(
      {
        method: 'GET',
        path,
        headers: { ...headers(), accept: '*/*' },
        timeoutMs: downloadMsMax,
        signal,
      },
      limits,
    );
  const isOwn = (url: string): boolean => new URL(url).origin === origin;

  return {
    createTimeoutMs,

    async create(fields, firstFrame) {
      const call = { method: 'POST', path: '/videos', headers: headers() } as const;
      const timing = { timeoutMs: createTimeoutMs };
      if (dialect.plainStart === 'json' && !firstFrame) {
        return upstream.call({ ...call, ...timing, body: fields });
      }
      const form = await createForm(formParts(fields, firstFrame));
      return upstream.call({ ...call, ...timing, form });
    },

    async get(operation, signal) {
      const stop = signal ? { signal } : {};
      const turn = await gets.turn({ waitMsMax: getWaitMsMax, ...stop });
      if (!turn.granted) return { kind: 'busy', waitSeconds: turn.waitSeconds };
      const path = pathOf(operation);
      return upstream.call({ method: 'GET', path, headers: headers(), timeoutMs, ...stop });
    },

    list: (query) =>
      upstream.call({ method: 'GET', path: `/videos${query}`, headers: headers(), timeoutMs }),

    delete: (operation) =>
      upstream.call({ method: 'DELETE', path: pathOf(operation), headers: headers(), timeoutMs }),

    content: (operation, saving) => saved(upstream, `${pathOf(operation)}/content`, saving),

    isOwn,
    fetchOwn(url, saving) {
      assert(isOwn(url), 'our key goes to the configured host only');
      const { pathname, search } = new URL(url);
      return saved(host, pathname + search, saving);
    },

    close: async () => {
      await upstream.close();
      await host.close();
    },
  };
}

function formParts(fields: Fields, firstFrame: FirstFrame | null): FormPart[] {
  const parts = Object.entries(fields).map(
    ([name, value]): FormPart => ({ name, value: String(value) }),
  );
  if (!firstFrame) return parts;
  const { file, contentType, extension } = firstFrame;
  // A name of ours: the customer's could be a path to the server that stores it.
  const fileName = `first-frame.${extension}`;
  return [...parts, { name: 'input_reference', file, fileName, contentType }];
}

const pathOf = (operation: string) => `/videos/${encodeURIComponent(operation)}`;
