/**
 * Hosts that are written to get past the egress guard: addresses in and beside every special range,
 * in any spelling and disguise. What is public is defined by the registries and Node's block list,
 * independently of the guard.
 */
import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** IANA's special registry for IPv4, and Azure's platform address inside public space. */
const specialIpv4 = words(`
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

/** The first and the last address of every special range, and their neighbors. */
const edges = specialIpv4.flatMap((range) => {
  const [base = '', bits] = range.split('/');
  const first = base.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const size = 2 ** (32 - Number(bits));
  return [first - 1, first, first + 1, first + size - 1, first + size];
});
const ipv4EdgeNumbers = edges.filter((address) => address >= 0 && address < 2 ** 32);
const ipv4Number = fc.oneof(fc.constantFrom(...ipv4EdgeNumbers), fc.nat(2 ** 32 - 1));

const octetsOf = (address: number): number[] =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
export const ipv4Edges = ipv4EdgeNumbers.map((address) => octetsOf(address).join('.'));
const groupsOf = (address: number): string =>
  [address >>> 16, address & 0xffff].map((group) => group.toString(16)).join(':');

/** The ways in which some parser accepts an IPv4 address, and some that none should. */
function ipv4Spellings(address: number): string[] {
  const octets = octetsOf(address);
  const plain = octets.join('.');
  const [a, b, c] = octets;
  const octal = (value: number) => `0${value.toString(8)}`;
  const hex = (value: number) => `0x${value.toString(16)}`;
  return [
    ...[plain, `${plain}.`, `${plain}..`, `[${plain}]`, `${plain}%00`, plain.replaceAll('.', ',')],
    ...[String(address), octal(address), hex(address), `0o${address.toString(8)}`],
    ...[octets.map(octal), octets.map(hex), octets.map((one) => `00${one}`)].map((parts) =>
      parts.join('.'),
    ),
    // With fewer than four parts, the last one has all remaining bits (inet_aton).
    ...[`${a}.${address & 0xffffff}`, `${hex(a!)}.${b}.${c! * 256 + octets[3]!}`],
    // Multiples of 256 or 2^32, which wrong arithmetic drops.
    ...[String(address + 2 ** 32), octets.map((one) => one + 256).join('.')],
  ];
}

/** IPv6 addresses that routers, kernels or tunnels translate to the embedded IPv4 address. */
const embedded = (address: number): string[] => [
  ...['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2a00:1450::5efe:'].flatMap(
    (prefix) => [prefix + octetsOf(address).join('.'), prefix + groupsOf(address)],
  ),
  ...[`2002:${groupsOf(address)}::1`, `2001:0:1:2:3:4:${groupsOf(~address)}`],
];

const ipv6Spellings = (address: string): string[] => [
  ...[address, `[${address}]`, `[${address.toUpperCase()}]`, `%5B${address}%5D`, `［${address}］`],
  ...['%25lo', '%lo', '%251', '%25'].map((zone) => `[${address}${zone}]`),
  ...[`[${address.replace('::', ':0:0:')}]`, `[[${address}]]`, `[${address}].example.com`],
];

const shifted = (from: RegExp, first: number, to: number) => (host: string) =>
  host.replace(from, (one) => String.fromCodePoint(to + one.codePointAt(0)! - first));
const between = (inserted: string) => (host: string) =>
  host.slice(0, host.length >> 1) + inserted + host.slice(host.length >> 1);

/** Characters that normalize to plain ones, or are dropped. */
const disguises: readonly ((host: string) => string)[] = [
  ...[0xff10, 0x2080, 0x1d7ce, 0x1d7f6].map((style) => shifted(/\d/g, 0x30, style)),
  ...[0xff41, 0x24d0, 0x1d41a].map((style) => shifted(/[a-z]/g, 0x61, style)),
  ...['\u3002', '\uff0e', '\uff61', '\u2024', '%2E'].map(
    (dot) => (host: string) => host.replaceAll('.', dot),
  ),
  ...['\u00ad', '\u200b', '\u2060', '\ufeff', '\t', '\n', '\0', '\\', '\u00a0'].map(between),
  (host) => [...Buffer.from(host)].map((byte) => `%${byte.toString(16)}`).join(''),
];

/** A host and another one that a wrong parser takes for the target, or the other way round. */
const baits = words('{a}@{b} {a}:443@{b} {a}%20@{b} {a}#@{b} {a}?@{b} {a}/@{b} {a}\\@{b} {b}@{a}');

const spelled = fc.oneof(
  ipv4Number.map((one) => octetsOf(one).join('.')),
  ipv4Number.chain((one) => fc.constantFrom(...ipv4Spellings(one))),
  fc
    .oneof(
      fc.ipV6(),
      ipv4Number.chain((one) => fc.constantFrom(...embedded(one))),
    )
    .chain((one) => fc.constantFrom(...ipv6Spellings(one))),
);

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

export const hostileHost: fc.Arbitrary<string> = fc
  .record({
    host: spelled,
    disguise: sometimes(fc.constantFrom(...disguises)),
    bait: sometimes(fc.constantFrom(...baits)),
    other: fc.constantFrom('8.8.8.8', '127.0.0.1'),
  })
  .map(({ host, disguise, bait, other }) => {
    const shown = disguise ? disguise(host) : host;
    return bait ? bait.replaceAll('{a}', () => shown).replaceAll('{b}', other) : shown;
  });
