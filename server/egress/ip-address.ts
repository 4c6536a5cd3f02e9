/**
 * Decides whether an IP address is public, by its number and not its spelling. IPv6 uses an allow
 * list: in every library tried, a deny list let 11 of 230 hostile addresses through.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isMetadataAddress } from '../config/operator-host.ts';

type IpAddress = { readonly family: 4 | 6; readonly value: bigint };

/** A range as written, with its first and last address. */
export type Network = {
  readonly text: string;
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
};

/** What this installation may reach beyond the public internet, and what it may not reach on it. */
export type ReachPolicy = {
  /** `VIDGEN_ALLOWED_NETWORKS`; these override every rejection but that of metadata services. */
  readonly allowedNetworks: readonly Network[];
  /**
   * Prefixes of this machine's interfaces: its neighbors, whatever range they are numbered from.
   */
  readonly ownNetworks: readonly Network[];
};

// IANA's special-purpose registry, and one cloud platform address in public space.
const blockedIpv4 = [
  '0.0.0.0/8', // "This host": Linux connects to loopback.
  '10.0.0.0/8',
  '100.64.0.0/10', // Carrier-grade NAT; also Alibaba's metadata service.
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's platform address.
  '169.254.0.0/16', // Link-local: the metadata service of most clouds.
  '172.16.0.0/12',
  '192.0.0.0/24', // Protocol assignments; also Oracle's metadata service.
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

// Global unicast is 2000::/3. Everything else is loopback, local, multicast, unassigned, or embeds
// an IPv4 address (mapped, compatible, translated, NAT64).
const outsideGlobalIpv6 = ['::/3', '4000::/2', '8000::/1'];
const blockedIpv6 = [
  '2001::/23', // Teredo, benchmarking, ORCHID, DRIP, AMT, AS112.
  '2001:db8::/32',
  '2002::/16', // 6to4: embeds an IPv4 address.
  '2620:4f:8000::/48',
  '3ffe::/16',
  '3fff::/20',
];

// ISATAP puts an IPv4 address after this identifier, under any prefix (RFC 5214, 6.1).
const isatapIdentifiers = [0x0000_5efen, 0x0200_5efen];

/** The last 32 bits of an IPv6 address can be written as an IPv4 address. */
const hexGroups = (value: bigint): string =>
  `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;

function ipv6Value(text: string): bigint {
  const lastStart = text.lastIndexOf(':') + 1;
  const last = text.slice(lastStart);
  const hex = text.slice(0, lastStart) + (last.includes('.') ? hexGroups(ipv4Value(last)) : last);
  const [head = '', tail] = hex.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce(
    (value, group) => (value << 16n) | BigInt(`0x${group}`),
    0n,
  );
}

const ipv4Value = (text: string): bigint =>
  text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);

/** Accepts plain forms only: no octal, short forms, brackets or zones. Null for anything else. */
export function parseIp(text: string): IpAddress | null {
  if (isIPv4(text)) return { family: 4, value: ipv4Value(text) };
  if (isIPv6(text) && !text.includes('%')) return { family: 6, value: ipv6Value(text) };
  return null;
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. */
function parseNetwork(text: string): Network | null {
  const [base = '', prefix, ...rest] = text.split('/');
  const address = parseIp(base);
  if (address === null || rest.length > 0) return null;
  const bits = address.family === 4 ? 32 : 128;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return null;
  const prefixLength = prefix === undefined ? bits : Number(prefix);
  if (prefixLength > bits) return null;
  const size = 1n << BigInt(bits - prefixLength);
  const first = address.value - (address.value % size);
  return { text, family: address.family, first, last: first + size - 1n };
}

/** Parses a list separated by commas or spaces. Throws one error that names every invalid entry. */
export function parseNetworks(text: string): Network[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const networks = entries.map((entry) => parseNetwork(entry));
  const invalid = entries.filter((_, index) => networks[index] === null);
  if (invalid.length > 0) {
    const quoted = invalid.map((entry) => `"${entry}"`).join(', ');
    throw new Error(`must list networks such as 10.0.0.0/8 or fd00::/8; not a network: ${quoted}`);
  }
  return networks.filter((network) => network !== null);
}

const contains = (network: Network, { family, value }: IpAddress): boolean =>
  network.family === family && network.first <= value && value <= network.last;

const nonPublicNetworks = parseNetworks(
  [...blockedIpv4, ...outsideGlobalIpv6, ...blockedIpv6].join(),
);

/** False for everything that is not a plain IP address. */
export function isPublic(text: string): boolean {
  const address = parseIp(text);
  if (address === null) return false;
  if (address.family === 6 && isatapIdentifiers.includes((address.value >> 32n) & 0xffff_ffffn)) {
    return false;
  }
  return !nonPublicNetworks.some((network) => contains(network, address));
}

/**
 * Whether an address is in one of the networks. IPv4-mapped IPv6 counts as IPv6: 10.0.0.0/8 does
 * not contain it.
 */
export function isAllowed(text: string, networks: readonly Network[]): boolean {
  const address = parseIp(text);
  return address !== null && networks.some((network) => contains(network, address));
}

/** The one check of an address, for literals, every DNS result and the peer. */
export function mayReach(text: string, { allowedNetworks, ownNetworks }: ReachPolicy): boolean {
  if (isMetadataAddress(text)) return false;
  if (isAllowed(text, allowedNetworks)) return true;
  return isPublic(text) && !isAllowed(text, ownNetworks);
}

/** The loopback addresses that the operator allowed; `localhost` means these. */
export const allowedLoopback = (networks: readonly Network[]): string[] =>
  ['127.0.0.1', '::1'].filter((address) => isAllowed(address, networks));

/**
 * The networks this machine is attached to. Container and tunnel networks can be numbered from
 * public space, where no list of ranges contains them.
 */
export function readOwnNetworks(): Network[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return interfaces.flatMap(({ cidr, address, family }) => {
    const prefixLength = Number(cidr?.split('/')[1] ?? 128);
    // A tunnel that claims half the internet stands only for its own address.
    const isTooWide = prefixLength < (family === 'IPv4' ? 8 : 16);
    return parseNetwork(isTooWide || cidr === null ? address : cidr) ?? [];
  });
}

/**
 * The same rules for Node's own connect, as a second check after `mayReach`. One list per family,
 * because a rule that contains `::ffff:0:0/96` matches every IPv4 address.
 */
export const blockLists = {
  4: blockListOf(blockedIpv4, 'ipv4'),
  6: blockListOf([...outsideGlobalIpv6, ...blockedIpv6], 'ipv6'),
} as const;

function blockListOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', prefix] = range.split('/');
    list.addSubnet(base, Number(prefix), family);
  }
  return list;
}
