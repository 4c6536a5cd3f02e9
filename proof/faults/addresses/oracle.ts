/**
 * A second definition of public IP addresses, from the registries and with Node's block list,
 * independent of the guard that it checks.
 */
import { BlockList, isIPv4 } from 'node:net';

/** Splits a list that is written as text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** IANA's special registry for IPv4, and Azure's platform address inside public space. */
export const specialIpv4 = words(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16
  172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24
  192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
  240.0.0.0/4
`);

/** The only global part of IPv6, and its special ranges. */
const globalIpv6 = '2000::/3';
const specialIpv6 = words(`
  2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3ffe::/16 3fff::/20
`);

const listOf = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    list.addSubnet(base, Number(bits), family);
  }
  return list;
};
// One list per family: a list with ::ffff:0:0/96 would match every IPv4 address.
const specialIpv4List = listOf(specialIpv4, 'ipv4');
const globalIpv6List = listOf([globalIpv6], 'ipv6');
const specialIpv6List = listOf(specialIpv6, 'ipv6');

/** Takes an IP address as Node writes it. */
export function isPublicPerRegistry(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4List.check(address, 'ipv4');
  if (!globalIpv6List.check(address, 'ipv6')) return false;
  return !specialIpv6List.check(address, 'ipv6') && !isIsatap(address);
}

/** ISATAP embeds an IPv4 address under any prefix (RFC 5214, 6.1). */
const isIsatap = (address: string): boolean =>
  /:(0{0,4}|0?200):0{0,2}5efe(:[0-9a-f]{1,4}){2}$/.test(uncompressed(address));

function uncompressed(address: string): string {
  const [left = '', right = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (half: string) => (half === '' ? [] : half.split(':'));
  const zeros = 8 - groups(left).length - groups(right).length;
  return [...groups(left), ...Array<string>(zeros).fill('0'), ...groups(right)].join(':');
}
