/**
 * The client's network in one canonical form: an IPv4 address, or the /64 of an IPv6 address, which
 * is what an internet provider assigns to one customer.
 */
import { parseIp } from '../../egress/ip-address.ts';

/** Returns `unknown` for anything that is not an IP address. */
export function clientNetwork(remoteAddress: string | undefined): string {
  const normalized = normalizeIp(remoteAddress ?? '');
  const address = normalized === null ? null : parseIp(normalized);
  if (address === null) return 'unknown';
  if (address.family === 4) return normalized!;
  const prefix = (address.value >> 64n).toString(16).padStart(16, '0');
  return `${prefix.match(/.{4}/g)!.join(':')}::/64`;
}

/**
 * Drops the zone that a socket may report and turns IPv4-mapped IPv6 into IPv4, which a dual-stack
 * listener reports. Returns null if the text is not an IP address.
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
