/**
 * Requests to the configured OpenID provider: over TLS except on this machine, without redirects,
 * bounded in time and size. The provider is chosen by the operator, so its hosts may be internal.
 */
import type { IncomingMessage } from 'node:http';
import { lookupOperatorHost, requireOperatorHost } from '../config/operator-host.ts';

/** Metadata, keys and tokens have some kilobytes. */
const bodyBytesMax = 1024 * 1024;

const loopbackHosts = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a URL may be used: with TLS, or on this machine. */
export function isProtected(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && loopbackHosts.test(hostname));
}

type FetchOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

export type ProviderFetch = {
  /** The signature that `openid-client` expects of `customFetch`. */
  readonly fetch: (url: string, options: FetchOptions) => Promise<Response>;
  /** Whether a request got no response, or one that says that the provider is out of order. */
  readonly isUnavailable: () => boolean;
};

/** For the requests of one operation, which all end when `signal` aborts. */
export function createProviderFetch(signal: AbortSignal): ProviderFetch {
  let isUnavailable = false;
  return {
    isUnavailable: () => isUnavailable,
    async fetch(url, options) {
      if (!isProtected(url)) throw new Error('the OpenID provider names a URL without TLS');
      try {
        const response = await send(url, { ...options, signal });
        const body = await readCapped(response);
        const { statusCode: status = 0, headers } = response;
        if (status >= 500 || status === 429) isUnavailable = true;
        const lines = Object.entries(headers).map(([name, value]) => [name, String(value)]);
        const init = { status, headers: Object.fromEntries(lines) as Record<string, string> };
        return new Response(body.length === 0 ? null : body, init);
      } catch (error) {
        isUnavailable = true;
        throw error;
      }
    },
  };
}

/** Unlike the global `fetch`, it tells which addresses are dialed. It follows no redirect. */
async function send(
  url: string,
  { method = 'GET', headers = {}, body, signal }: FetchOptions & { readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  requireOperatorHost(new URL(url).hostname);
  const { request } = process.getBuiltinModule(
    url.startsWith('https:') ? 'node:https' : 'node:http',
  );
  return await new Promise((resolve, reject) => {
    const options = { method, headers, signal, lookup: lookupOperatorHost, agent: false };
    const outgoing = request(url, options, resolve).on('error', reject);
    outgoing.end(body ? String(body) : undefined);
  });
}

async function readCapped(response: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the response of the OpenID provider is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
