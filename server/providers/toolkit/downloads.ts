/**
 * Results that stand behind the upstream's own door. Our key goes to the configured host only,
 * whatever address an answer names; and a page of a proxy is never taken for a video.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import type { DownloadFile, ResultSource } from '../provider.ts';
import {
  createUpstream,
  type DownloadOutcome,
  type Upstream,
  type UpstreamResponse,
} from './upstream.ts';

export type SaveOptions = Parameters<DownloadFile>[0];
type Headers = () => Readonly<Record<string, string>>;

const downloadMsMax = 5 * 60_000;

/** A file at a path of the upstream, with our key. */
export function saveFrom(
  upstream: Upstream,
  { path, headers }: { readonly path: string; readonly headers: Headers },
  { signal, ...limits }: SaveOptions,
): Promise<DownloadOutcome> {
  const accept = { ...headers(), accept: '*/*' };
  const call = { method: 'GET', path, headers: accept, timeoutMs: downloadMsMax, signal } as const;
  return upstream.download(call, limits);
}

export type UpstreamFiles = {
  /** The full address of something on the configured host, or null for anywhere else. */
  resolveOnHost(urlOrPath: string): string | null;
  /** With our key: for an address on the configured host. */
  fetchWithKey(url: string, saveOptions: SaveOptions): Promise<DownloadOutcome>;
  close(): Promise<void>;
};

export function createUpstreamFiles(options: {
  readonly baseUrl: string;
  readonly headers: Headers;
}): UpstreamFiles {
  const { origin } = new URL(options.baseUrl);
  const host = createUpstream({ baseUrl: origin });
  const resolveOnHost = (urlOrPath: string): string | null => {
    if (!URL.canParse(urlOrPath, origin)) return null;
    const url = new URL(urlOrPath, origin);
    return url.origin === origin ? url.href : null;
  };
  return {
    resolveOnHost,
    fetchWithKey(url, saveOptions) {
      assert(resolveOnHost(url) !== null, 'our key goes to the configured host only');
      const { pathname, search } = new URL(url);
      return saveFrom(host, { path: pathname + search, headers: options.headers }, saveOptions);
    },
    close: () => host.close(),
  };
}

/** A proxy's page, or an error with the wrong status: no video, whatever it is called. */
export const isErrorPage = (contentType: string | null): boolean =>
  /^(text\/|application\/json)/i.test(contentType ?? '');

/** A result that only `fetch` can bring; `detailOf` words an answer that is no file. */
export const authenticatedSource = (
  fetch: (saveOptions: SaveOptions) => Promise<DownloadOutcome>,
  detailOf: (response: UpstreamResponse) => string,
): ResultSource => ({
  download: async (saveOptions) => {
    const outcome = await fetch(saveOptions);
    switch (outcome.kind) {
      case 'saved':
        if (!isErrorPage(outcome.contentType)) return { saved: true };
        await rm(saveOptions.into, { force: true });
        return { saved: false, detail: `it is ${outcome.contentType}, no video` };
      case 'answered':
        return { saved: false, detail: detailOf(outcome) };
      default:
        return { saved: false, detail: outcome.detail };
    }
  },
});
