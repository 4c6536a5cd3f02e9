/** The ways to write an IPv6 address, invalid ones included. */

import type { HostVariant } from './ipv4-variants.ts';
import { groupsOf, octetsOf } from './random-addresses.ts';
import type { SeededRandom } from './seeded-random.ts';

type Write = (random: SeededRandom, value: bigint) => string;

const hex = (value: bigint): string[] => groupsOf(value).map((group) => group.toString(16));
const canonical: Write = (_, value) =>
  new URL(`http://[${hex(value).join(':')}]/`).hostname.slice(1, -1);

/** Any run of zeros as `::`, also a part of one, a single one, or none. */
const compressed: Write = (random, value) => compress(random, hex(value));

function compress(random: SeededRandom, groups: readonly string[]): string {
  const starts = groups.flatMap((group, at) => (Number(`0x${group}`) === 0 ? [at] : []));
  if (starts.length === 0 || random.isOneIn(6)) return groups.join(':');
  const from = random.pick(starts);
  let to = from;
  while (starts.includes(to + 1) && !random.isOneIn(3)) to += 1;
  return `${groups.slice(0, from).join(':')}::${groups.slice(to + 1).join(':')}`;
}

const padded: Write = (random, value) =>
  compress(
    random,
    groupsOf(value).map((group) => group.toString(16).padStart(random.pick([1, 2, 3, 4]), '0')),
  );

const uncompressed: Write = (_, value) =>
  groupsOf(value)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join(':');

/** The last 32 bits as IPv4, also in bases that are not allowed here. */
const embedded: Write = (random, value) => {
  const octets = octetsOf(value & 0xffff_ffffn);
  const number = (value & 0xffff_ffffn).toString();
  const tail = random.pickWeighted([
    [5, octets.join('.')],
    [1, octets.map((octet) => `0${octet.toString(8)}`).join('.')],
    [1, octets.map((octet) => `0x${octet.toString(16)}`).join('.')],
    // A shorter number would be a group of another address.
    [1, number.length > 4 ? number : octets.join('.')],
  ]);
  const head = compress(random, hex(value).slice(0, 6));
  return head.endsWith('::') ? `${head}${tail}` : `${head}:${tail}`;
};

const zoned: Write = (random, value) =>
  `${canonical(random, value)}${random.pick(['%25lo', '%lo', '%251', '%25', '%', '%25eth0'])}`;

const broken: Write = (random, value) => {
  const text = canonical(random, value);
  return random.pick([
    `${text}:`,
    `:${text}`,
    `${text}::`,
    `0${uncompressed(random, value)}`,
    `[${text}]`,
    `${text}/128`,
    text.replace('::', ':::'),
    text.replaceAll(':', '：'),
    `v6.${text}`,
  ]);
};

const unbracketed: Write = (random, value) => {
  const text = canonical(random, value);
  return random.pick([
    text,
    `[${text}`,
    `${text}]`,
    `%5B${text}%5D`,
    `［${text}］`,
    `[${text}].`,
    `[${text}].example.com`,
    `[${text}]443`,
    `[[${text}]]`,
  ]);
};

const bracketed =
  (write: Write): Write =>
  (random, value) =>
    `[${write(random, value)}]`;
const randomlyCased =
  (write: Write): Write =>
  (random, value) =>
    [...write(random, value)].map((one) => (random.isOneIn(2) ? one.toUpperCase() : one)).join('');

const techniques: readonly (readonly [weight: number, way: string, write: Write])[] = [
  [4, 'plain', bracketed(canonical)],
  [3, 'compressed otherwise', bracketed(compressed)],
  [2, 'padded', bracketed(padded)],
  [1, 'uncompressed', bracketed(uncompressed)],
  [3, 'with IPv4 in it', bracketed(embedded)],
  [2, 'in capitals', bracketed(randomlyCased(compressed))],
  [1, 'with a zone', bracketed(zoned)],
  [1, 'broken', bracketed(broken)],
  [1, 'without brackets', unbracketed],
];

export function randomIpv6Variant(random: SeededRandom, value: bigint): HostVariant {
  const [technique, write] = random.pickWeighted(
    techniques.map(([weight, ...rest]) => [weight, rest] as const),
  );
  const host = write(random, value);
  return {
    technique: `IPv6 ${technique}`,
    host,
    isPlain: host === `[${canonical(random, value)}]`,
  };
}
