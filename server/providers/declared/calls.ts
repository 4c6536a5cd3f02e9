/**
 * The calls of a declared upstream, authorised, timed and paced. Our key goes to the configured
 * host only, whatever address an answer names.
 */
import assert from 'node:assert/strict';
import { createPace } from '../pace.ts';
import { fillTemplate } from '../placeholders.ts';
import { createUpstream, type DownloadOutcome, type UpstreamOutcome } from '../upstream.ts';
import type { DeclaredSettings } from './settings.ts';

export type DeclaredCallOptions = Pick<
  DeclaredSettings,
  'baseUrl' | 'start' | 'status' | 'cancel' | 'auth' | 'getPerSecond'
> & {
  /** Asked for at every call; empty for none. */
  readonly apiKey: () => string;
  readonly createTimeoutMs?: number;
  readonly readTimeoutMs?: number;
};

/** A look at the upstream; `busy` when too many others wait for their turn to look. */
export type Look = UpstreamOutcome | { readonly kind: 'busy'; readonly waitSeconds: number };

type Saving = { readonly into: string; readonly bytesMax: number; readonly signal: AbortSignal };

export type DeclaredCalls = {
  start(body: unknown, reference: string): Promise<UpstreamOutcome>;
  status(operation: string, signal?: AbortSignal): Promise<Look>;
  cancel(operation: string): Promise<UpstreamOutcome>;
  /** The full address of something on the configured host, or null for anywhere else. */
  own(address: string): string | null;
  /** With our key: for an address on the configured host. */
  fetchOwn(url: string, saving: Saving): Promise<DownloadOutcome>;
  /** The address of the video, where the description says it by a path. */
  videoAddress(operation: string): string;
  close(): Promise<void>;
};

const getWaitMsMax = 5_000;
const downloadMsMax = 5 * 60_000;
const bearer = { header: 'authorization', value: 'Bearer {{key}}' };

export function createDeclaredCalls(options: DeclaredCallOptions): DeclaredCalls {
  const { start, status, cancel } = options;
  const upstream = createUpstream({ baseUrl: options.baseUrl });
  const { origin } = new URL(options.baseUrl);
  const host = createUpstream({ baseUrl: origin });
  const timeoutMs = options.readTimeoutMs ?? 20_000;
  const gets = createPace({ perSecond: options.getPerSecond ?? 20 });
  const auth = options.auth ?? bearer;
  const headers = (): Record<string, string> => {
    const key = options.apiKey();
    return key === '' ? {} : { [auth.header]: auth.value.replaceAll('{{key}}', () => key) };
  };
  const own = (address: string): string | null => {
    if (!URL.canParse(address, origin)) return null;
    const url = new URL(address, origin);
    return url.origin === origin ? url.href : null;
  };

  return {
    start: (body, reference) =>
      upstream.call({
        method: start.method ?? 'POST',
        path: start.path,
        headers: {
          ...start.headers,
          ...headers(),
          ...(start.idempotencyKeyHeader ? { [start.idempotencyKeyHeader]: reference } : {}),
        },
        body,
        timeoutMs: options.createTimeoutMs ?? 90_000,
      }),

    async status(operation, signal) {
      const stop = signal ? { signal } : {};
      const turn = await gets.turn({ waitMsMax: getWaitMsMax, ...stop });
      if (!turn.granted) return { kind: 'busy', waitSeconds: turn.waitSeconds };
      const method = status.method ?? 'GET';
      const path = pathFor(status.path, operation);
      return upstream.call({ method, path, headers: headers(), timeoutMs, ...stop });
    },

    async cancel(operation) {
      assert(cancel, 'the description has a cancel');
      const { method = 'POST', path, body } = cancel;
      const sent = body === undefined ? {} : { body: fillTemplate(body, { operation }) };
      const call = { method, path: pathFor(path, operation), headers: headers(), timeoutMs };
      return upstream.call({ ...call, ...sent });
    },

    own,
    fetchOwn(url, { signal, ...limits }) {
      assert(own(url) !== null, 'our key goes to the configured host only');
      const { pathname, search } = new URL(url);
      const accept = { ...headers(), accept: '*/*' };
      const call = { method: 'GET', path: pathname + search, headers: accept } as const;
      return host.download({ ...call, timeoutMs: downloadMsMax, signal }, limits);
    },
    videoAddress: (operation) =>
      options.baseUrl.replace(/\/+$/, '') + pathFor(status.videoPath!, operation),

    close: async () => {
      await upstream.close();
      await host.close();
    },
  };
}

const pathFor = (template: string, operation: string): string =>
  template.replace(/\{\{\s*operation\s*\}\}/g, () => encodeURIComponent(operation));
