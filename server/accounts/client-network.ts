/**
 * The network a request comes from, in one spelling: an IPv4 address, or the /64 of an IPv6 one,
 * which is what one customer of a provider has to himself.
 */
import { parseIp } from '../egress/ip-address.ts';

/** What is not an address is a network of its own. */
export function clientNetwork(remoteAddress: string | undefined): string {
  const normalized = normalizeIp(remoteAddress ?? '');
  const address = normalized === null ? null : parseIp(normalized);
  if (address === null) return 'unknown';
  if (address.family === 4) return normalized!;
  const prefix = (address.value >> 64n).toString(16).padStart(16, '0');
  return `${prefix.match(/.{4}/g)!.join(':')}::/64`;
}

/**
 * Without the zone that a socket may tell, and an IPv4 address as such also where it came inside
 * of IPv6, as it does when we listen to both. Null for what is no address.
 */
export function normalizeIp(text: string): string | null {
  const [unzoned = ''] = text.split('%');
  const address = parseIp(unzoned);
  if (address === null) return null;
  const isMapped = address.family === 6 && address.value >> 32n === 0xffffn;
  return isMapped ? formatIpv4(address.value & 0xffff_ffffn) : unzoned;
}

const formatIpv4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((bits) => String((value >> bits) & 0xffn)).join('.');
