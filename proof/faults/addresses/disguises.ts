/**
 * Changes to the text of any host: digits, letters and dots that normalize to plain ones,
 * characters that parsers drop, and other hosts around it.
 */
import type { SeededRandom } from './seeded-random.ts';

type Disguise = (random: SeededRandom, host: string) => string;

const codePoint = (text: string): number => text.codePointAt(0)!;

/** The first code points of other digits: full width and five mathematical styles. */
const digitStyles = [0xff10, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6];
const circled = (digit: number): string =>
  digit === 0 ? '⓪' : String.fromCodePoint(0x245f + digit);
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const lowered = '₀₁₂₃₄₅₆₇₈₉';
/** The first code points of other letters: full width, circled, bold, script, sans-serif. */
const letterStyles = [0xff41, 0x24d0, 0x1d41a, 0x1d4ea, 0x1d5ba, 0x1d68a];
const dots = ['\u3002', '\uff0e', '\uff61', '\u2024', '%2E', '%E3%80%82'];
const dropped = ['\u00ad', '\u200b', '\u2060', '\ufeff', '\ufe0f', '\u180b', '\u200d', '\u034f'];
const controls = ['\t', '\n', '\r', ' ', '\0', '\\', '\u00a0', '\u2028', '\u0085', '\u001f'];

/** Replaces all matching characters, or some of them. */
function replaced(
  random: SeededRandom,
  host: string,
  pattern: RegExp,
  write: (one: string) => string,
) {
  const isAll = random.isOneIn(2);
  return host.replace(pattern, (one) => (isAll || random.isOneIn(3) ? write(one) : one));
}

const otherDigits: Disguise = (random, host) => {
  const style = random.pick([...digitStyles, 'circled', raised, lowered] as const);
  return replaced(random, host, /\d/g, (digit) => {
    if (style === 'circled') return circled(Number(digit));
    if (typeof style === 'string') return style[Number(digit)]!;
    return String.fromCodePoint(style + Number(digit));
  });
};

const otherLetters: Disguise = (random, host) => {
  const style = random.pick(letterStyles);
  return replaced(random, host, /[a-z]/g, (letter) =>
    String.fromCodePoint(style + codePoint(letter) - codePoint('a')),
  );
};

const otherDots: Disguise = (random, host) =>
  replaced(random, host, /\./g, () => random.pick(dots));

const percent = (one: string): string =>
  [...Buffer.from(one)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const escaped: Disguise = (random, host) => {
  const write = random.pickWeighted([
    [4, percent],
    [1, (one: string) => percent(one).replace('%', '%25')],
    [1, (one: string) => percent(one).toUpperCase()],
  ]);
  return replaced(random, host, /[^[\]]/gu, write);
};

const inserted =
  (characters: readonly string[]): Disguise =>
  (random, host) => {
    const all = [...host];
    const at = random.below(all.length + 1);
    return [...all.slice(0, at), random.pick(characters), ...all.slice(at)].join('');
  };

const disguises: readonly (readonly [weight: number, way: string, put: Disguise])[] = [
  [3, 'other digits', otherDigits],
  [2, 'other dots', otherDots],
  [1, 'other letters', otherLetters],
  [3, 'percent-encoded', escaped],
  [2, 'with what is dropped', inserted(dropped)],
  [3, 'with controls', inserted(controls)],
  [1, 'upper case', (_, host) => host.toUpperCase()],
];

export type Disguised = { readonly technique: string; readonly host: string };

export function disguise(random: SeededRandom, host: string): Disguised {
  const choices = disguises.map(([weight, ...rest]) => [weight, rest] as const);
  const [technique, put] = random.pickWeighted(choices);
  return { technique, host: put(random, host) };
}

/** Combines a host and a bait so that the host is the target. */
export function besideBait(
  random: SeededRandom,
  { host, bait }: { host: string; bait: string },
): string {
  return random.pick([
    `${bait}@${host}`,
    `${bait}:443@${host}`,
    `${bait}:443:80@${host}`,
    `${bait};@${host}`,
    `${bait}%20@${host}`,
    `${bait}%40@${host}`,
    `${bait}%2f@${host}`,
    `${bait}%23@${host}`,
    `@${host}`,
    `:@${host}`,
    `${bait}@${bait}@${host}`,
    `${host}#@${bait}`,
    `${host}?@${bait}`,
    `${host}/@${bait}`,
    `${host}\\@${bait}`,
    `${host}\\.${bait}`,
  ]);
}

/** The same with the bait as the target: a wrong parser would go to the host. */
export function behindBait(
  random: SeededRandom,
  { host, bait }: { host: string; bait: string },
): string {
  return random.pick([
    `${bait}#@${host}`,
    `${bait}?@${host}`,
    `${bait}/@${host}`,
    `${bait}\\@${host}`,
    `${bait}#${host}`,
    `${bait}/${host}`,
    `${bait}?${host}`,
    `${host}@${bait}`,
    `${host}:443@${bait}`,
    `${host}%23@${bait}`,
  ]);
}
