/** All the ways to write an IPv4 address that some parser, somewhere, takes for one. */
import { octetsOf } from './address-draws.ts';
import type { Chance } from './chance.ts';

export type SpelledHost = {
  /** What was done, for the tally. */
  readonly way: string;
  readonly host: string;
  /** In the one form that everybody reads alike. */
  readonly isPlain: boolean;
};

type Write = (chance: Chance, value: bigint) => string;

const plain: Write = (_, value) => octetsOf(value).join('.');
const zeros = (chance: Chance): string => '0'.repeat(chance.pick([0, 0, 1, 3, 11, 40]));

/** A number in base 8, 10 or 16; a leading zero is what makes it octal. */
function numeral(chance: Chance, value: bigint, radix: 8 | 10 | 16): string {
  if (radix === 10) return value.toString();
  if (radix === 8) return `0${zeros(chance)}${value.toString(8)}`;
  const digits = value.toString(16);
  const cased = chance.isOneIn(2) ? digits.toUpperCase() : digits;
  return `${chance.pick(['0x', '0X'])}${zeros(chance)}${cased}`;
}

/** Fewer parts than four: the last one holds all the bits that are left (inet_aton). */
const parts: Write = (chance, value) => {
  const count = chance.pick([1, 2, 3, 4]);
  const octets = octetsOf(value).slice(0, count - 1);
  const rest = value & ((1n << BigInt(8 * (5 - count))) - 1n);
  const radix = () => chance.pick([8, 10, 16] as const);
  return [...octets.map(BigInt), rest].map((one) => numeral(chance, one, radix())).join('.');
};

/** Every part with the 256 or 2^32 that careless arithmetic drops. */
const overflown: Write = (chance, value) => {
  if (chance.isOneIn(2)) return (value + (1n << 32n)).toString();
  return octetsOf(value)
    .map((octet) => octet + 256 * chance.below(3))
    .join('.');
};

const dotted: Write = (chance, value) =>
  chance.pick([
    `${plain(chance, value)}.`,
    `${plain(chance, value)}..`,
    `.${plain(chance, value)}`,
  ]);

const shifted: Write = (chance, value) => {
  const text = plain(chance, value);
  return chance.pick([
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

const ways: readonly (readonly [weight: number, way: string, write: Write])[] = [
  [5, 'plain', plain],
  [2, 'decimal', (chance, value) => numeral(chance, value, 10)],
  [2, 'octal', (chance, value) => numeral(chance, value, 8)],
  [2, 'hexadecimal', (chance, value) => numeral(chance, value, 16)],
  [4, 'mixed and short', parts],
  [2, 'octal parts', (chance, value) => inParts(chance, value, 8)],
  [2, 'hexadecimal parts', (chance, value) => inParts(chance, value, 16)],
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

const inParts = (chance: Chance, value: bigint, radix: 8 | 16): string =>
  octetsOf(value)
    .map((octet) => numeral(chance, BigInt(octet), radix))
    .join('.');

export function spellIpv4(chance: Chance, value: bigint): SpelledHost {
  const [way, write] = chance.weigh(ways.map(([weight, ...rest]) => [weight, rest] as const));
  const host = write(chance, value);
  return { way: `IPv4 ${way}`, host, isPlain: host === plain(chance, value) };
}
