/**
 * Secrets that are made to be found again: each has a value that stands nowhere else, and a list of
 * the answers that may tell it. Found means in any spelling, in anything that anybody can read.
 */
import { randomBytes } from 'node:crypto';

export type Canary = {
  /** Which secret it is: `VIDGEN_SECRET`, `an API key`. */
  readonly name: string;
  readonly value: string;
  /** Which answers tell it on purpose, by their label; none, where there is no pattern. */
  readonly shownIn?: RegExp;
};

/** Something that was said: an answer, or all that a process wrote. */
export type RecordedText = {
  /** `GET /admin/accounts/:id as operator: 200`, `output of a service`. */
  readonly label: string;
  readonly text: string;
};

/** A value that survives as part of headers and addresses, with characters that get escaped. */
export const newValue = (start = 'canary'): string =>
  `${start}/${randomBytes(15).toString('base64url')}+${randomBytes(9).toString('hex')}`;

/** The same for what may hold letters, digits and dashes only. */
export const newPlainValue = (start: string): string =>
  `${start}${randomBytes(24).toString('hex')}`;

/** How it may be written. What is shorter could stand there by chance. */
const charactersMin = 8;

export function spellingsOf(value: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(value);
  const quoted = JSON.stringify(value).slice(1, -1);
  const spellings = new Map<string, string>([
    ['plain', value],
    ['as JSON', quoted],
    ['as JSON with escaped slashes', quoted.replaceAll('/', '\\/')],
    ['as JSON within JSON', JSON.stringify(quoted).slice(1, -1)],
    ['in an address', encodeURIComponent(value)],
    ['in an address, lower case', encodeURIComponent(value).toLowerCase()],
    ['in a form', new URLSearchParams({ value }).toString().slice('value='.length)],
    ['in HTML', value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ['in hex', bytes.toString('hex')],
    ['in upper-case hex', bytes.toString('hex').toUpperCase()],
    ['backwards', [...value].reverse().join('')],
  ]);
  // In the middle of something longer it is written in one of three ways, but for its ends.
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    for (const encoding of ['base64', 'base64url'] as const) {
      const inner = shifted
        .toString(encoding)
        .replace(/=+$/, '')
        .slice(offset === 0 ? 0 : 4, -3);
      spellings.set(`in ${encoding}, ${offset} bytes on`, inner);
    }
  }
  return new Map([...spellings].filter(([, text]) => text.length >= charactersMin));
}

/** Every place where a secret stands that may not stand there, as sentences. */
export function leaksIn(recorded: readonly RecordedText[], canaries: readonly Canary[]): string[] {
  return canaries.flatMap(({ name, value, shownIn }) => {
    const spellings = [...spellingsOf(value)];
    return recorded.flatMap(({ label, text }) => {
      if (shownIn?.test(label)) return [];
      const found = spellings.find(([, spelling]) => text.includes(spelling));
      return found ? [`${name} stands ${found[0]} in ${label}: …${around(text, found[1])}…`] : [];
    });
  });
}

const shownCharacters = 60;

function around(text: string, found: string): string {
  const at = text.indexOf(found);
  const part = text.slice(Math.max(0, at - shownCharacters), at + found.length + 20);
  return part.replace(/\s+/g, ' ');
}
