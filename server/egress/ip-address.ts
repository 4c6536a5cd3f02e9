/**
 * Is this IP address public? Decided on the number, never on the spelling. IPv6 is an allow-list:
 * "not known to be bad" let 11 of 230 hostile addresses through in every library tried.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

type IpAddress = { readonly family: 4 | 6; readonly value: bigint };

/** A range as it was written, and its first and last address. */
export type Network = {
  readonly text: string;
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
};

/** What this installation may reach beyond the public internet, and what it may not of it. */
export type ReachPolicy = {
  /** The operator's `VIDGEN_ALLOWED_NETWORKS`: these win over every refusal by address. */
  readonly allowedNetworks: readonly Network[];
  /** Prefixes of this machine's interfaces: neighbours, whatever range they are numbered from. */
  readonly ownNetworks: readonly Network[];
};

// IANA's special-purpose registry, plus one cloud's platform address inside public space.
const blockedIpv4 = [
  '0.0.0.0/8', // "This host": Linux connects to loopback.
  '10.0.0.0/8',
  '100.64.0.0/10', // Carrier-grade NAT; also Alibaba's metadata.
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's platform address.
  '169.254.0.0/16', // Link-local: most clouds' metadata.
  '172.16.0.0/12',
  '192.0.0.0/24', // Protocol assignments; also Oracle's metadata.
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

// Global unicast is 2000::/3. Everything else is loopback, local, multicast, a way to write an IPv4
// address (mapped, compatible, translated, NAT64) or unassigned.
const outsideGlobalIpv6 = ['::/3', '4000::/2', '8000::/1'];
const blockedIpv6 = [
  '2001::/23', // Teredo, benchmarking, ORCHID, DRIP, AMT, AS112.
  '2001:db8::/32',
  '2002::/16', // 6to4: an IPv4 address inside.
  '2620:4f:8000::/48',
  '3ffe::/16',
  '3fff::/20',
];

// ISATAP writes an IPv4 address behind this identifier, under any prefix (RFC 5214, 6.1).
const isatapIdentifiers = [0x0000_5efen, 0x0200_5efen];

function ipv6Value(text: string): bigint {
  const hex = text.replace(/\d+\.\d+\.\d+\.\d+$/, (tail) => {
    const value = ipv4Value(tail);
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  });
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

/** Plain forms only: no octal, no short forms, no brackets, no zone. Null for anything else. */
export function parseIp(text: string): IpAddress | null {
  if (isIPv4(text)) return { family: 4, value: ipv4Value(text) };
  if (isIPv6(text) && !text.includes('%')) return { family: 6, value: ipv6Value(text) };
  return null;
}

/** `10.0.0.0/8`, `fd00::/8`, or one address alone. */
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

/** A list separated by commas or spaces. Throws one error that names every wrong entry. */
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

/** False for everything that is not an address in its plain form. */
export function isPublic(text: string): boolean {
  const address = parseIp(text);
  if (address === null) return false;
  if (address.family === 6 && isatapIdentifiers.includes((address.value >> 32n) & 0xffff_ffffn)) {
    return false;
  }
  return !nonPublicNetworks.some((network) => contains(network, address));
}

/** Is it in one of these networks? IPv4-mapped IPv6 is IPv6 here: 10.0.0.0/8 does not hold it. */
export function isAllowed(text: string, networks: readonly Network[]): boolean {
  const address = parseIp(text);
  return address !== null && networks.some((network) => contains(network, address));
}

/** The one verdict on an address, used on literals, on every DNS answer and on the peer. */
export function mayReach(text: string, { allowedNetworks, ownNetworks }: ReachPolicy): boolean {
  if (isAllowed(text, allowedNetworks)) return true;
  return isPublic(text) && !isAllowed(text, ownNetworks);
}

/** The loopback addresses that the operator allowed, which is what `localhost` then means. */
export const allowedLoopback = (networks: readonly Network[]): string[] =>
  ['127.0.0.1', '::1'].filter((address) => isAllowed(address, networks));

/**
 * The networks this machine is attached to. Container and tunnel networks can be numbered from
 * public space, where no list of ranges finds them.
 */
export function readOwnNetworks(): Network[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return interfaces.flatMap(({ cidr, address, family }) => {
    const prefixLength = Number(cidr?.split('/')[1] ?? 128);
    // A tunnel that claims half the internet speaks only for its own address.
    const isTooWide = prefixLength < (family === 'IPv4' ? 8 : 16);
    return parseNetwork(isTooWide || cidr === null ? address : cidr) ?? [];
  });
}

/**
 * The same refusals for Node's own connect: a second net under `mayReach`. One list a family,
 * because a rule that holds `::ffff:0:0/96` matches every IPv4 address.
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
