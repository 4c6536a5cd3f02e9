/** The ways to write an IPv4 address that some parser accepts. */
import { octetsOf } from './random-addresses.ts';
import type { SeededRandom } from './seeded-random.ts';

export type HostVariant = {
  readonly technique: string;
  readonly host: string;
  /** The canonical form. */
  readonly isPlain: boolean;
};

type Write = (random: SeededRandom, value: bigint) => string;

const plain: Write = (_, value) => octetsOf(value).join('.');
const zeros = (random: SeededRandom): string => '0'.repeat(random.pick([0, 0, 1, 3, 11, 40]));

/** A number in base 8, 10 or 16; a leading zero makes it octal. */
function numeral(random: SeededRandom, value: bigint, radix: 8 | 10 | 16): string {
  if (radix === 10) return value.toString();
  if (radix === 8) return `0${zeros(random)}${value.toString(8)}`;
  const digits = value.toString(16);
  const cased = random.isOneIn(2) ? digits.toUpperCase() : digits;
  return `${random.pick(['0x', '0X'])}${zeros(random)}${cased}`;
}

/** With fewer than four parts, the last one has all remaining bits (inet_aton). */
const parts: Write = (random, value) => {
  const count = random.pick([1, 2, 3, 4]);
  const octets = octetsOf(value).slice(0, count - 1);
  const rest = value & ((1n << BigInt(8 * (5 - count))) - 1n);
  const radix = () => random.pick([8, 10, 16] as const);
  return [...octets.map(BigInt), rest].map((one) => numeral(random, one, radix())).join('.');
};

/** Adds multiples of 256 or 2^32, which wrong arithmetic drops. */
const overflown: Write = (random, value) => {
  if (random.isOneIn(2)) return (value + (1n << 32n)).toString();
  return octetsOf(value)
    .map((octet) => octet + 256 * random.below(3))
    .join('.');
};

const dotted: Write = (random, value) =>
  random.pick([
    `${plain(random, value)}.`,
    `${plain(random, value)}..`,
    `.${plain(random, value)}`,
  ]);

const shifted: Write = (random, value) => {
  const text = plain(random, value);
  return random.pick([
    `[${text}]`,
    `[::${text}`,
    `${text}:`,
    `${text}:443:443`,
    `${text}%00`,
    `${text}%2f.example.com`,
    `${text}%00.example.com`,
    `${text},93.184.215.14`,
    `${text}+.example.com`,
    `0o${value.toString(8)}`,
    `0b${value.toString(2)}`,
    `+${text}`,
    `-${text}`,
    text.replaceAll('.', '..'),
    text.replaceAll('.', ','),
  ]);
};

const techniques: readonly (readonly [weight: number, way: string, write: Write])[] = [
  [5, 'plain', plain],
  [2, 'decimal', (random, value) => numeral(random, value, 10)],
  [2, 'octal', (random, value) => numeral(random, value, 8)],
  [2, 'hexadecimal', (random, value) => numeral(random, value, 16)],
  [4, 'mixed and short', parts],
  [2, 'octal parts', (random, value) => inParts(random, value, 8)],
  [2, 'hexadecimal parts', (random, value) => inParts(random, value, 16)],
  [
    1,
    'padded decimal',
    (_, value) =>
      octetsOf(value)
        .map((one) => `00${one}`)
        .join('.'),
  ],
  [1, 'overflown', overflown],
  [1, 'with dots', dotted],
  [1, 'broken', shifted],
];

const inParts = (random: SeededRandom, value: bigint, radix: 8 | 16): string =>
  octetsOf(value)
    .map((octet) => numeral(random, BigInt(octet), radix))
    .join('.');

export function randomIpv4Variant(random: SeededRandom, value: bigint): HostVariant {
  const [technique, write] = random.pickWeighted(
    techniques.map(([weight, ...rest]) => [weight, rest] as const),
  );
  const host = write(random, value);
  return { technique: `IPv4 ${technique}`, host, isPlain: host === plain(random, value) };
}
