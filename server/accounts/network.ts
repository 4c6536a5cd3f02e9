/**
 * The network a request comes from, in one spelling: an IPv4 address, or the /64 of an IPv6 one,
 * which is what one customer of a provider has to himself.
 */
import { parseAddress } from '../egress/address.ts';

/** As the socket says. What is not an address is a network of its own. */
export function networkOf(remoteAddress: string | undefined): string {
  const [text = ''] = (remoteAddress ?? '').split('%');
  const address = parseAddress(text);
  if (address === null) return 'unknown';
  if (address.family === 4) return dotted(address.value);
  const isMapped = address.value >> 32n === 0xffffn;
  if (isMapped) return dotted(address.value & 0xffff_ffffn);
  const prefix = (address.value >> 64n).toString(16).padStart(16, '0');
  return `${prefix.match(/.{4}/g)!.join(':')}::/64`;
}

const dotted = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((bits) => String((value >> bits) & 0xffn)).join('.');
