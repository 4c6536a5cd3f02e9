/**
 * The network a request comes from, in one spelling: an IPv4 address, or the /64 of an IPv6 one,
 * which is what one customer of a provider has to himself.
 */
import { parseAddress } from '../egress/address.ts';

/** What is not an address is a network of its own. */
export function networkOf(remoteAddress: string | undefined): string {
  const plain = plainAddress(remoteAddress ?? '');
  const address = plain === null ? null : parseAddress(plain);
  if (address === null) return 'unknown';
  if (address.family === 4) return plain!;
  const prefix = (address.value >> 64n).toString(16).padStart(16, '0');
  return `${prefix.match(/.{4}/g)!.join(':')}::/64`;
}

/**
 * Without the zone that a socket may tell, and an IPv4 address as such also where it came inside
 * of IPv6, as it does when we listen to both. Null for what is no address.
 */
export function plainAddress(text: string): string | null {
  const [unzoned = ''] = text.split('%');
  const address = parseAddress(unzoned);
  if (address === null) return null;
  const isMapped = address.family === 6 && address.value >> 32n === 0xffffn;
  return isMapped ? dotted(address.value & 0xffff_ffffn) : unzoned;
}

const dotted = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((bits) => String((value >> bits) & 0xffn)).join('.');
