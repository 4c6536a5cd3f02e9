/**
 * The client's IP address behind proxies: the nearest hop that is not a trusted proxy. Only entries
 * that a trusted proxy wrote count, so that clients cannot choose their address.
 */
import { normalizeIp } from '../../accounts/people/client-network.ts';
import { isAllowed, type Network } from '../../egress/ip-address.ts';

export type Hops = {
  /** The remote address of the socket. */
  readonly peer: string | undefined;
  /** `X-Forwarded-For`: each proxy appends the address of its client. */
  readonly forwardedFor: string | readonly string[] | undefined;
};

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
