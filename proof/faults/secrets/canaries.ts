/**
 * Canaries: secrets with a unique value and the responses that may show it. The search finds a
 * value in any encoding, in every recorded text.
 */
import { randomBytes } from 'node:crypto';

export type Canary = {
  /** Names the secret: `VIDGEN_SECRET`, `an API key`. */
  readonly name: string;
  readonly value: string;
  /** The labels of responses that show it on purpose; without a pattern none may. */
  readonly shownIn?: RegExp;
};

export type RecordedText = {
  /** `GET /admin/accounts/:id as operator: 200`, `output of a service`. */
  readonly label: string;
  readonly text: string;
};

/** A value that is valid in headers and URLs, with characters that are escaped there. */
export const newValue = (start = 'canary'): string =>
  `${start}/${randomBytes(15).toString('base64url')}+${randomBytes(9).toString('hex')}`;

/** The same for values that allow only letters, digits and underscores. */
export const newPlainValue = (start: string): string =>
  `${start}${randomBytes(24).toString('hex')}`;

/** Shorter texts could be there by chance. */
const charactersMin = 8;

function encodingsOf(value: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(value);
  const quoted = JSON.stringify(value).slice(1, -1);
  const encodings = new Map<string, string>([
    ['plain', value],
    ['as JSON', quoted],
    ['as JSON with escaped slashes', quoted.replaceAll('/', '\\/')],
    ['as JSON within JSON', JSON.stringify(quoted).slice(1, -1)],
    ['in a URL', encodeURIComponent(value)],
    ['in a URL, lower case', encodeURIComponent(value).toLowerCase()],
    ['in a form', new URLSearchParams({ value }).toString().slice('value='.length)],
    ['in HTML', value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ['in hex', bytes.toString('hex')],
    ['in upper-case hex', bytes.toString('hex').toUpperCase()],
    ['backwards', [...value].reverse().join('')],
  ]);
  // Inside a longer text, base64 depends on the offset modulo 3; the ends are cut off.
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    for (const encoding of ['base64', 'base64url'] as const) {
      const inner = shifted
        .toString(encoding)
        .replace(/=+$/, '')
        .slice(offset === 0 ? 0 : 4, -3);
      encodings.set(`in ${encoding}, ${offset} bytes on`, inner);
    }
  }
  return new Map([...encodings].filter(([, text]) => text.length >= charactersMin));
}

/** One message for each text that contains a secret it may not contain. */
export function leaksIn(recorded: readonly RecordedText[], canaries: readonly Canary[]): string[] {
  return canaries.flatMap(({ name, value, shownIn }) => {
    const encodings = [...encodingsOf(value)];
    return recorded.flatMap(({ label, text }) => {
      if (shownIn?.test(label)) return [];
      const found = encodings.find(([, encoded]) => text.includes(encoded));
      return found ? [`${name} is ${found[0]} in ${label}: …${around(text, found[1])}…`] : [];
    });
  });
}

const shownCharacters = 60;

function around(text: string, found: string): string {
  const at = text.indexOf(found);
  const part = text.slice(Math.max(0, at - shownCharacters), at + found.length + 20);
  return part.replace(/\s+/g, ' ');
}
