/**
 * Protects a service on loopback from DNS rebinding: a page of another site whose name suddenly
 * resolves to this machine could read everything that needs no credential. Requests that arrive on
 * loopback must name a known host, except under `/v1`, `/api/v1` and `/api/v3`, where every
 * request needs an API key.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@vidgen/contract/api-error.ts';

const ownNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const loopback = /^(::ffff:)?127\.|^::1$/;

export type HostRules = {
  readonly publicUrl: () => string;
  /** Further host names, from `VIDGEN_ALLOWED_HOSTS`. */
  readonly allowedHosts: readonly string[];
};

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
