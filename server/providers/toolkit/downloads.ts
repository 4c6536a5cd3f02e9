/**
 * Results that stand behind the upstream's own door. Our key goes to the configured host only,
 * whatever address an answer names; and a page of a proxy is never taken for a video.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import type { DownloadResult, ResultSource } from '../provider.ts';
import {
  createUpstream,
  type DownloadOutcome,
  type Upstream,
  type UpstreamAnswer,
} from './upstream.ts';

export type Saving = Parameters<DownloadResult>[0];
type Headers = () => Readonly<Record<string, string>>;

const downloadMsMax = 5 * 60_000;

/** A file at a path of the upstream, with our key. */
export function saveFrom(
  upstream: Upstream,
  { path, headers }: { readonly path: string; readonly headers: Headers },
  { signal, ...limits }: Saving,
): Promise<DownloadOutcome> {
  const accept = { ...headers(), accept: '*/*' };
  const call = { method: 'GET', path, headers: accept, timeoutMs: downloadMsMax, signal } as const;
  return upstream.download(call, limits);
}

export type OwnHost = {
  /** The full address of something on the configured host, or null for anywhere else. */
  own(address: string): string | null;
  /** With our key: for an address on the configured host. */
  fetchOwn(url: string, saving: Saving): Promise<DownloadOutcome>;
  close(): Promise<void>;
};

export function createOwnHost(options: {
  readonly baseUrl: string;
  readonly headers: Headers;
}): OwnHost {
  const { origin } = new URL(options.baseUrl);
  const host = createUpstream({ baseUrl: origin });
  const own = (address: string): string | null => {
    if (!URL.canParse(address, origin)) return null;
    const url = new URL(address, origin);
    return url.origin === origin ? url.href : null;
  };
  return {
    own,
    fetchOwn(url, saving) {
      assert(own(url) !== null, 'our key goes to the configured host only');
      const { pathname, search } = new URL(url);
      return saveFrom(host, { path: pathname + search, headers: options.headers }, saving);
    },
    close: () => host.close(),
  };
}

/** A proxy's page, or an error with the wrong status: no video, whatever it is called. */
export const isPage = (contentType: string | null): boolean =>
  /^(text\/|application\/json)/i.test(contentType ?? '');

/** A result that only `fetch` can bring; `detailOf` words an answer that is no file. */
export const behindDoor = (
  fetch: (saving: Saving) => Promise<DownloadOutcome>,
  detailOf: (answer: UpstreamAnswer) => string,
): ResultSource => ({
  download: async (saving) => {
    const outcome = await fetch(saving);
    switch (outcome.kind) {
      case 'saved':
        if (!isPage(outcome.contentType)) return { saved: true };
        await rm(saving.into, { force: true });
        return { saved: false, detail: `it is ${outcome.contentType}, no video` };
      case 'answered':
        return { saved: false, detail: detailOf(outcome) };
      default:
        return { saved: false, detail: outcome.detail };
    }
  },
});
