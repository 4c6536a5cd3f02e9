/**
 * The ways to write a host: an address as some parser accepts it, the text disguised by characters
 * that normalize to plain ones or are dropped, and other hosts around it.
 */
import { groupsOf, type IpAddress, octetsOf } from './random-addresses.ts';
import type { SeededRandom } from './seeded-random.ts';

export type HostVariant = { readonly technique: string; readonly host: string };

type Write = (random: SeededRandom, value: bigint) => string;
/** Picked at random; a technique that is listed twice is picked twice as often. */
type Techniques = readonly (readonly [technique: string, write: Write])[];

/** A number in base 8, 10 or 16; a leading zero makes it octal. */
function numeral(random: SeededRandom, value: bigint, radix: 8 | 10 | 16): string {
  if (radix === 10) return value.toString();
  const zeros = '0'.repeat(random.pick([0, 0, 1, 3, 11, 40]));
  if (radix === 8) return `0${zeros}${value.toString(8)}`;
  const digits = value.toString(16);
  const cased = random.isOneIn(2) ? digits.toUpperCase() : digits;
  return `${random.pick(['0x', '0X'])}${zeros}${cased}`;
}

const inParts = (random: SeededRandom, value: bigint, radix: 8 | 16): string =>
  octetsOf(value)
    .map((octet) => numeral(random, BigInt(octet), radix))
    .join('.');

/** With fewer than four parts, the last one has all remaining bits (inet_aton). */
const shortParts: Write = (random, value) => {
  const count = random.pick([1, 2, 3, 4]);
  const octets = octetsOf(value).slice(0, count - 1);
  const rest = value & ((1n << BigInt(8 * (5 - count))) - 1n);
  return [...octets.map(BigInt), rest]
    .map((one) => numeral(random, one, random.pick([8, 10, 16] as const)))
    .join('.');
};

/** Adds multiples of 256 or 2^32, which wrong arithmetic drops. */
const overflown: Write = (random, value) => {
  if (random.isOneIn(2)) return (value + (1n << 32n)).toString();
  return octetsOf(value)
    .map((octet) => octet + 256 * random.below(3))
    .join('.');
};

const plainIpv4: Write = (_, value) => octetsOf(value).join('.');

const brokenIpv4: Write = (random, value) => {
  const text = plainIpv4(random, value);
  return random.pick([
    ...[`${text}.`, `${text}..`, `.${text}`, `[${text}]`, `[::${text}`, `${text}:`],
    ...[`${text}:443:443`, `${text}%00`, `${text}%2f.example.com`, `${text}%00.example.com`],
    ...[`${text},93.184.215.14`, `${text}+.example.com`, `+${text}`, `-${text}`],
    ...[`0o${value.toString(8)}`, `0b${value.toString(2)}`],
    ...[text.replaceAll('.', '..'), text.replaceAll('.', ',')],
  ]);
};

const ipv4Techniques: Techniques = [
  ...Array<Techniques[number]>(5).fill(['plain', plainIpv4]),
  ['decimal', (random, value) => numeral(random, value, 10)],
  ['octal', (random, value) => numeral(random, value, 8)],
  ['hexadecimal', (random, value) => numeral(random, value, 16)],
  ['mixed and short', shortParts],
  ['mixed and short', shortParts],
  ['octal parts', (random, value) => inParts(random, value, 8)],
  ['hexadecimal parts', (random, value) => inParts(random, value, 16)],
  [
    'padded decimal',
    (_, value) =>
      octetsOf(value)
        .map((one) => `00${one}`)
        .join('.'),
  ],
  ['overflown', overflown],
  ['broken', brokenIpv4],
];

const paddedGroups = (value: bigint, width: () => number): string[] =>
  groupsOf(value).map((group) => group.toString(16).padStart(width(), '0'));
const canonical = (value: bigint): string =>
  new URL(`http://[${paddedGroups(value, () => 1).join(':')}]/`).hostname.slice(1, -1);

/** Any run of zeros as `::`, also a part of one, a single one, or none. */
function compress(random: SeededRandom, groups: readonly string[]): string {
  const starts = groups.flatMap((group, at) => (Number(`0x${group}`) === 0 ? [at] : []));
  if (starts.length === 0 || random.isOneIn(6)) return groups.join(':');
  const from = random.pick(starts);
  let to = from;
  while (starts.includes(to + 1) && !random.isOneIn(3)) to += 1;
  return `${groups.slice(0, from).join(':')}::${groups.slice(to + 1).join(':')}`;
}

const compressed: Write = (random, value) =>
  compress(
    random,
    paddedGroups(value, () => 1),
  );

/** The last 32 bits as IPv4, also in bases that are not allowed here. */
const embedded: Write = (random, value) => {
  const inner = value & 0xffff_ffffn;
  const dotted = octetsOf(inner).join('.');
  const tail = random.pick([
    ...[dotted, dotted, dotted, dotted, inParts(random, inner, 8), inParts(random, inner, 16)],
    // A shorter number would be a group of another address.
    inner > 9999n ? inner.toString() : dotted,
  ]);
  const head = compress(random, paddedGroups(value, () => 1).slice(0, 6));
  return head.endsWith('::') ? `${head}${tail}` : `${head}:${tail}`;
};

const randomlyCased: Write = (random, value) =>
  compressed(random, value).replace(/[a-f]/g, (one) =>
    random.isOneIn(2) ? one.toUpperCase() : one,
  );

const brokenIpv6: Write = (random, value) => {
  const text = canonical(value);
  return random.pick([
    ...[`${text}:`, `:${text}`, `${text}::`, `[${text}]`, `${text}/128`, `v6.${text}`],
    ...['%25lo', '%lo', '%251', '%25', '%', '%25eth0'].map((zone) => text + zone),
    ...[text.replace('::', ':::'), text.replaceAll(':', '：')],
    `0${paddedGroups(value, () => 4).join(':')}`,
  ]);
};

const unbracketed: Write = (random, value) => {
  const text = canonical(value);
  return random.pick([
    ...[text, `[${text}`, `${text}]`, `%5B${text}%5D`, `［${text}］`, `[[${text}]]`],
    ...[`[${text}].`, `[${text}].example.com`, `[${text}]443`],
  ]);
};

const bracketed =
  (write: Write): Write =>
  (random, value) =>
    `[${write(random, value)}]`;

const plainIpv6 = bracketed((_, value) => canonical(value));

const ipv6Techniques: Techniques = [
  ...Array<Techniques[number]>(4).fill(['plain', plainIpv6]),
  ['compressed otherwise', bracketed(compressed)],
  ['compressed otherwise', bracketed(compressed)],
  ['padded', bracketed((random, value) => paddedOtherwise(random, value))],
  ['uncompressed', bracketed((_, value) => paddedGroups(value, () => 4).join(':'))],
  ['with IPv4 in it', bracketed(embedded)],
  ['with IPv4 in it', bracketed(embedded)],
  ['in capitals', bracketed(randomlyCased)],
  ['broken', bracketed(brokenIpv6)],
  ['without brackets', unbracketed],
];

const paddedOtherwise: Write = (random, value) =>
  compress(
    random,
    paddedGroups(value, () => random.pick([1, 2, 3, 4])),
  );

export function randomAddressText(random: SeededRandom, { family, value }: IpAddress): HostVariant {
  const [technique, write] = random.pick(family === 4 ? ipv4Techniques : ipv6Techniques);
  return { technique: `IPv${family} ${technique}`, host: write(random, value) };
}

type Disguise = (random: SeededRandom, host: string) => string;

/** The first code points of other digits: full width and five mathematical styles. */
const digitStyles = [0xff10, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6];
const digitTexts = ['⓪①②③④⑤⑥⑦⑧⑨', '⁰¹²³⁴⁵⁶⁷⁸⁹', '₀₁₂₃₄₅₆₇₈₉'];
/** The first code points of other letters: full width, circled, bold, script, sans-serif. */
const letterStyles = [0xff41, 0x24d0, 0x1d41a, 0x1d4ea, 0x1d5ba, 0x1d68a];
const dots = ['\u3002', '\uff0e', '\uff61', '\u2024', '%2E', '%E3%80%82'];
const dropped = ['\u00ad', '\u200b', '\u2060', '\ufeff', '\ufe0f', '\u180b', '\u200d', '\u034f'];
const controls = ['\t', '\n', '\r', ' ', '\0', '\\', '\u00a0', '\u2028', '\u0085', '\u001f'];

/** Replaces all matching characters, or some of them. */
const replacing =
  (pattern: RegExp, choose: (random: SeededRandom) => (one: string) => string): Disguise =>
  (random, host) => {
    const isAll = random.isOneIn(2);
    const write = choose(random);
    return host.replace(pattern, (one) => (isAll || random.isOneIn(3) ? write(one) : one));
  };

const otherDigits = replacing(/\d/g, (random) => {
  const style = random.pick([...digitStyles, ...digitTexts]);
  return (digit) =>
    typeof style === 'string' ? style[Number(digit)]! : String.fromCodePoint(style + Number(digit));
});

const otherLetters = replacing(/[a-z]/g, (random) => {
  const style = random.pick(letterStyles);
  return (letter) => String.fromCodePoint(style + letter.codePointAt(0)! - 0x61);
});

const percent = (one: string): string =>
  [...Buffer.from(one)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const escaped = replacing(/[^[\]]/gu, (random) =>
  random.pick([
    percent,
    percent,
    (one: string) => percent(one).replace('%', '%25'),
    (one: string) => percent(one).toUpperCase(),
  ]),
);

const inserting =
  (characters: readonly string[]): Disguise =>
  (random, host) => {
    const all = [...host];
    const at = random.below(all.length + 1);
    return [...all.slice(0, at), random.pick(characters), ...all.slice(at)].join('');
  };

const disguises: readonly (readonly [technique: string, put: Disguise])[] = [
  ['other digits', otherDigits],
  ['other dots', replacing(/\./g, (random) => () => random.pick(dots))],
  ['other letters', otherLetters],
  ['percent-encoded', escaped],
  ['with what is dropped', inserting(dropped)],
  ['with controls', inserting(controls)],
  ['upper case', (_, host) => host.toUpperCase()],
];

/** Disguises one host of three. */
export function disguiseHost(random: SeededRandom, plain: HostVariant): HostVariant {
  if (!random.isOneIn(3)) return plain;
  const [technique, put] = random.pick(disguises);
  const host = put(random, plain.host);
  if (host === plain.host) return plain;
  return { host, technique: `${plain.technique}, ${technique}` };
}

type BaitedHost = { readonly host: string; readonly bait: string };

/** Combines a host and a bait so that the host is the target. */
export function besideBait(random: SeededRandom, { host, bait }: BaitedHost): string {
  return random.pick([
    ...['', ':443', ':443:80', ';', '%20', '%40', '%2f', '%23'].map(
      (end) => `${bait}${end}@${host}`,
    ),
    ...[`@${host}`, `:@${host}`, `${bait}@${bait}@${host}`, `${host}\\.${bait}`],
    ...['#', '?', '/', '\\'].map((mark) => `${host}${mark}@${bait}`),
  ]);
}

/** The same with the bait as the target: a wrong parser would go to the host. */
export function behindBait(random: SeededRandom, { host, bait }: BaitedHost): string {
  return random.pick([
    ...['#@', '?@', '/@', '\\@', '#', '/', '?'].map((mark) => `${bait}${mark}${host}`),
    ...['', ':443', '%23'].map((end) => `${host}${end}@${bait}`),
  ]);
}
