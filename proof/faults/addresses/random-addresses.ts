/**
 * Draws IP addresses: the edges of every special range, addresses inside and beside it, IPv6 with
 * embedded IPv4, and the metadata services of clouds.
 */
import { isPublicPerRegistry, specialIpv4, specialIpv6 } from './oracle.ts';
import { type SeededRandom, words } from './seeded-random.ts';

export type IpAddress = {
  readonly family: 4 | 6;
  readonly value: bigint;
  /** The canonical form. */
  readonly text: string;
  readonly isPublic: boolean;
};

type AddressRange = { readonly family: 4 | 6; readonly first: bigint; readonly last: bigint };

/** Ranges with embedded IPv4 addresses, and all else outside the global part of IPv6. */
const otherIpv6 = words(`
  ::/128 ::1/128 100::/64 100:0:0:1::/64 200::/7 400::/6 4000::/3 5f00::/16 8000::/1
  fc00::/7 fe00::/9 fe80::/10 fec0::/10 ff00::/8 64:ff9b:1::/48 2001::/32 2001:2::/48
  2001:10::/28 2001:20::/28
`);

const wellKnown = words(`
  127.0.0.1 0.0.0.0 169.254.169.254 169.254.170.2 169.254.170.23 169.254.42.42
  100.100.100.200 192.0.0.192 168.63.129.16 255.255.255.255 fd00:ec2::254 fd20:ce::254
  fd00:42::42
`);

/** Prefixes of 96 bits before an IPv4 address: compatible, mapped, translated, NAT64. */
const embeddings = [0n, 0xffffn, 0xffff_0000n, 0x64_ff9b_0000_0000_0000_0000n] as const;

const bitsOf = { 4: 32, 6: 128 } as const;

export const octetsOf = (value: bigint): number[] =>
  [24n, 16n, 8n, 0n].map((shift) => Number((value >> shift) & 0xffn));
export const groupsOf = (value: bigint): number[] =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => Number((value >> shift) & 0xffffn));

function toIpAddress(family: 4 | 6, value: bigint): IpAddress {
  const hex = groupsOf(value).map((group) => group.toString(16));
  const text =
    family === 4
      ? octetsOf(value).join('.')
      : new URL(`http://[${hex.join(':')}]/`).hostname.slice(1, -1);
  return { family, value, text, isPublic: isPublicPerRegistry(text) };
}

function parseIpAddress(text: string): IpAddress {
  if (!text.includes(':')) {
    return toIpAddress(
      4,
      text.split('.').reduce((sum, octet) => (sum << 8n) | BigInt(octet), 0n),
    );
  }
  const [left = '', right = ''] = text.split('::');
  const groups = (half: string) => (half === '' ? [] : half.split(':'));
  const zeros = Array<string>(8 - groups(left).length - groups(right).length).fill('0');
  const all = [...groups(left), ...zeros, ...groups(right)];
  return toIpAddress(
    6,
    all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n),
  );
}

function rangeOf(text: string): AddressRange {
  const [base = '', bits] = text.split('/');
  const { family, value } = parseIpAddress(base);
  const size = 1n << BigInt(bitsOf[family] - Number(bits));
  return { family, first: value, last: value + size - 1n };
}

const ranges = [...specialIpv4, ...specialIpv6, ...otherIpv6].map(rangeOf);
const rangesIpv4 = specialIpv4.map(rangeOf);

/** A special address, or one beside a special range, as `isPublic` tells. */
export function randomAddress(random: SeededRandom): IpAddress {
  const drawn = random.below(15);
  if (drawn === 0) return parseIpAddress(random.pick(wellKnown));
  if (drawn < 5) return randomEmbedded(random);
  // Most variants are variants of IPv4.
  return randomNear(random, drawn < 10 ? rangesIpv4 : ranges);
}

function randomNear(random: SeededRandom, from: readonly AddressRange[]): IpAddress {
  const { family, first, last } = random.pick(from);
  const most = (1n << BigInt(bitsOf[family])) - 1n;
  const value = random.pick([
    first,
    last,
    first > 0n ? first - 1n : first,
    last < most ? last + 1n : last,
    first + (last > first ? 1n : 0n),
    random.between(first, last),
    random.between(first, last),
  ]);
  return toIpAddress(family, value);
}

/** IPv6 addresses that routers, kernels or tunnels translate to the embedded IPv4 address. */
function randomEmbedded(random: SeededRandom): IpAddress {
  const inner = randomNear(random, rangesIpv4).value;
  const any = (bits: number) => random.between(0n, (1n << BigInt(bits)) - 1n);
  const value = random.pick([
    ...embeddings.map((prefix) => (prefix << 32n) | inner),
    // NAT64 for local use; 6to4; Teredo with its address inverted; ISATAP below a public prefix.
    (0x64_ff9b_0001n << 80n) | (any(48) << 32n) | inner,
    (0x2002n << 112n) | (inner << 80n) | any(80),
    (0x2001_0000n << 96n) | (any(64) << 32n) | (inner ^ 0xffff_ffffn),
    (randomPublic(random, 6).value & ~((1n << 64n) - 1n)) | (0x5efen << 32n) | inner,
    (0x2a00_1450n << 96n) | (0x0200_5efen << 32n) | inner,
  ]);
  return toIpAddress(6, value);
}

/** Any public address; half of them near a special range. */
export function randomPublic(
  random: SeededRandom,
  family: 4 | 6 = random.pick([4, 4, 6]),
): IpAddress {
  for (;;) {
    const drawn = random.isOneIn(2)
      ? randomNear(random, family === 4 ? rangesIpv4 : ranges)
      : toIpAddress(
          family,
          family === 4
            ? random.between(0x0100_0000n, 0xdfff_ffffn)
            : random.between(0x2000n << 112n, (0x4000n << 112n) - 1n),
        );
    if (drawn.isPublic && drawn.family === family) return drawn;
  }
}

export function randomSpecial(random: SeededRandom): IpAddress {
  for (;;) {
    const drawn = randomAddress(random);
    if (!drawn.isPublic) return drawn;
  }
}
