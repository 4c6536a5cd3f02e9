/**
 * Requests to the configured OpenID provider: over TLS except on this machine, without redirects,
 * bounded in time and size. The provider is chosen by the operator, so its hosts may be internal.
 */

/** Metadata, keys and tokens have some kilobytes. */
const bodyBytesMax = 1024 * 1024;

const loopbackHosts = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a URL may be used: with TLS, or on this machine. */
export function isProtected(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && loopbackHosts.test(hostname));
}

export type ProviderFetch = {
  /** The signature that `openid-client` expects of `customFetch`. */
  readonly fetch: (url: string, options: object) => Promise<Response>;
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
        const init: RequestInit = { ...options, redirect: 'manual', signal };
        const response = await fetch(url, init);
        const body = await readCapped(response);
        if (response.status >= 500 || response.status === 429) isUnavailable = true;
        const { status, headers } = response;
        return new Response(body.length === 0 ? null : body, { status, headers });
      } catch (error) {
        isUnavailable = true;
        throw error;
      }
    },
  };
}

async function readCapped(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the response of the OpenID provider is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
