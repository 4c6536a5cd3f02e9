/** All the ways to write an IPv6 address, those that no standard knows included. */
import { groupsOf, octetsOf } from './address-draws.ts';
import type { Chance } from './chance.ts';
import type { SpelledHost } from './ipv4-spellings.ts';

type Write = (chance: Chance, value: bigint) => string;

const hex = (value: bigint): string[] => groupsOf(value).map((group) => group.toString(16));
const canonical: Write = (_, value) =>
  new URL(`http://[${hex(value).join(':')}]/`).hostname.slice(1, -1);

/** Any run of zeros as `::`, also a part of one, a single one, or none. */
const compressed: Write = (chance, value) => compress(chance, hex(value));

function compress(chance: Chance, groups: readonly string[]): string {
  const starts = groups.flatMap((group, at) => (Number(`0x${group}`) === 0 ? [at] : []));
  if (starts.length === 0 || chance.isOneIn(6)) return groups.join(':');
  const from = chance.pick(starts);
  let to = from;
  while (starts.includes(to + 1) && !chance.isOneIn(3)) to += 1;
  return `${groups.slice(0, from).join(':')}::${groups.slice(to + 1).join(':')}`;
}

const padded: Write = (chance, value) =>
  compress(
    chance,
    groupsOf(value).map((group) => group.toString(16).padStart(chance.pick([1, 2, 3, 4]), '0')),
  );

const uncompressed: Write = (_, value) =>
  groupsOf(value)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join(':');

/** Its last 32 bits as IPv4: rightly so, or with the bases that only IPv4 alone may have. */
const embedded: Write = (chance, value) => {
  const octets = octetsOf(value & 0xffff_ffffn);
  const number = (value & 0xffff_ffffn).toString();
  const tail = chance.weigh([
    [5, octets.join('.')],
    [1, octets.map((octet) => `0${octet.toString(8)}`).join('.')],
    [1, octets.map((octet) => `0x${octet.toString(16)}`).join('.')],
    // A short one would be a group, and the whole another address.
    [1, number.length > 4 ? number : octets.join('.')],
  ]);
  const head = compress(chance, hex(value).slice(0, 6));
  return head.endsWith('::') ? `${head}${tail}` : `${head}:${tail}`;
};

const zoned: Write = (chance, value) =>
  `${canonical(chance, value)}${chance.pick(['%25lo', '%lo', '%251', '%25', '%', '%25eth0'])}`;

const broken: Write = (chance, value) => {
  const text = canonical(chance, value);
  return chance.pick([
    `${text}:`,
    `:${text}`,
    `${text}::`,
    `0${uncompressed(chance, value)}`,
    `[${text}]`,
    `${text}/128`,
    text.replace('::', ':::'),
    text.replaceAll(':', '：'),
    `v6.${text}`,
  ]);
};

const unbracketed: Write = (chance, value) => {
  const text = canonical(chance, value);
  return chance.pick([
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
  (chance, value) =>
    `[${write(chance, value)}]`;
const randomlyCased =
  (write: Write): Write =>
  (chance, value) =>
    [...write(chance, value)].map((one) => (chance.isOneIn(2) ? one.toUpperCase() : one)).join('');

const ways: readonly (readonly [weight: number, way: string, write: Write])[] = [
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

export function spellIpv6(chance: Chance, value: bigint): SpelledHost {
  const [way, write] = chance.weigh(ways.map(([weight, ...rest]) => [weight, rest] as const));
  const host = write(chance, value);
  return { way: `IPv6 ${way}`, host, isPlain: host === `[${canonical(chance, value)}]` };
}
