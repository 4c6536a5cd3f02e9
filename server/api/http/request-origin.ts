/** Where a request comes from: the client's address, the host it names, the page that sent it. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { normalizeIp } from '../../accounts/people/client-network.ts';
import { isAllowed, type Network } from '../../egress/ip-address.ts';

type Hops = {
  readonly peer: string | undefined;
  /** `X-Forwarded-For`: each proxy appends the address of its client. */
  readonly forwardedFor: string | readonly string[] | undefined;
};

/**
 * The client's IP address behind proxies: the nearest hop that is not a trusted proxy. Only entries
 * that a trusted proxy wrote count, so that clients cannot choose their address.
 */
export function clientAddress(
  { peer, forwardedFor }: Hops,
  trustedProxies: readonly Network[],
): string | undefined {
  let nearest = normalizeIp(peer ?? '');
  if (nearest === null) return peer;
  const forwarded = [forwardedFor ?? []].flat().join(',').split(',');
  while (forwarded.length > 0 && isAllowed(nearest, trustedProxies)) {
    const hop = hopAddress(forwarded.pop()!);
    // A trusted proxy that does not name its client: the proxy is the nearest known hop.
    if (hop === null) break;
    nearest = hop;
  }
  return nearest;
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function hopAddress(text: string): string | null {
  const hop = text.trim();
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop) ?? /^([\d.]+):\d{1,5}$/.exec(hop);
  return normalizeIp(bare?.[1] ?? hop);
}

const ownNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const loopback = /^(::ffff:)?127\.|^::1$/;

export type HostRules = {
  readonly publicUrl: () => string;
  /** Further host names, from `VIDGEN_ALLOWED_HOSTS`. */
  readonly allowedHosts: readonly string[];
};

/**
 * Protects a service on loopback from DNS rebinding: a page of another site whose name suddenly
 * resolves to this machine could read everything that needs no credential. Requests that arrive on
 * loopback must name a known host, except under `/v1`, `/api/v1` and `/api/v3`, where every
 * request needs an API key.
 */
export function requireAllowedHost(
  request: {
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
    readonly localAddress: string | undefined;
  },
  { publicUrl, allowedHosts }: HostRules,
): void {
  const { url, headers, localAddress } = request;
  // Browsers always send the header; HTTP/1.0 may come without it.
  if (headers.host === undefined || !loopback.test(localAddress ?? '')) return;
  // A request to a proxy names the whole URL.
  if (/^(https?:\/\/[^/]*)?\/(v1|api\/v[13])(\/|$)/i.test(url)) return;
  const name = hostName(headers.host);
  const known = [...ownNames, new URL(publicUrl()).hostname, ...allowedHosts];
  if (name !== null && known.some((one) => one.toLowerCase() === name)) return;
  throw new ApiError(
    'forbidden',
    'Unknown host name; set VIDGEN_PUBLIC_URL or VIDGEN_ALLOWED_HOSTS to serve it.',
  );
}

/** Without the port and the final dot, in lower case. Null if it is not a host. */
function hostName(header: string): string | null {
  if (!URL.canParse(`http://${header}`)) return null;
  return new URL(`http://${header}`).hostname.replace(/\.$/, '');
}

export type RequestHead = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

/**
 * Protects sessions against cross-site requests: browsers send the cookie with requests of any
 * page. Requests that change something must come from pages of this service, by `Sec-Fetch-Site`
 * or, in older browsers, by `Origin`.
 */
export function requireSameOrigin(
  { method, headers }: RequestHead,
  { publicUrl, rawBody }: { publicUrl: string; rawBody: boolean },
): void {
  if (method === 'GET' || method === 'HEAD') return;
  if (!isSameOrigin(headers, publicUrl)) {
    throw new ApiError(
      'forbidden',
      'Cross-origin request rejected; use the dashboard of this service, or the admin token.',
    );
  }
  if (!isAllowedType(headers, { rawBody })) {
    throw new ApiError(
      'forbidden',
      rawBody
        ? 'The Content-Type header must name the type of the file, such as image/png.'
        : 'The Content-Type header must be application/json.',
    );
  }
}

function isSameOrigin(headers: RequestHead['headers'], publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const from = new URL(origin);
  return from.origin === new URL(publicUrl).origin || from.host === host;
}

/** Types that other pages may send without a preflight request (Fetch, CORS-safelisted). */
const crossOriginTypes =
  /^(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i;

/** A second line of defense. A request without a body needs no type. */
function isAllowedType(
  headers: RequestHead['headers'],
  { rawBody }: { rawBody: boolean },
): boolean {
  const type = String(headers['content-type'] ?? '').trim();
  const length = headers['content-length'];
  const hasBody = headers['transfer-encoding'] !== undefined || (length ?? '0') !== '0';
  if (type === '') return !hasBody;
  return rawBody ? !crossOriginTypes.test(type) : /^application\/json\s*(;|$)/i.test(type);
}
