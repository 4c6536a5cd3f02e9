/**
 * Who is asking, where proxies stand before us: the nearest hop that is not one of the operator's
 * own. A header counts only as far as it was written by them, so nobody can choose his address.
 * Fastify's `trustProxy` would believe other headers too, and hands on what is no address.
 */
import { normalizeIp } from '../../accounts/client-network.ts';
import { isAllowed, type Network } from '../../egress/ip-address.ts';

export type Hops = {
  /** The other end of the connection, as the socket says. */
  readonly peer: string | undefined;
  /** `X-Forwarded-For`: each proxy has added to the right of it whom it was asked by. */
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
    // A proxy of ours that does not know who asked: then it was asked by nobody we can name.
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
