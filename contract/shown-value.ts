/**
 * A value that a client sent, made fit to stand inside one of our sentences: short, on one line,
 * and never able to end the sentence or hide what follows it.
 */
const charactersMax = 40;

/** The first characters of a text, by code point, so that no character is cut in half. */
export function shortened(text: string): string {
  const head = [...text.slice(0, 2 * charactersMax + 2)];
  return head.length > charactersMax ? `${head.slice(0, charactersMax - 1).join('')}…` : text;
}

/** Controls, direction marks, lone surrogates and odd spaces are told by number, not shown. */
const unprintable = /(?! )[\p{C}\p{Z}]/gu;

function escaped(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const quoted = (text: string): string =>
  `"${escaped(shortened(text).replace(/["\\]/g, (character) => `\\${character}`))}"`;

/** The value as a person would name it: text in quotes, figures as they are, the rest by kind. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** Where a value stands: `input.image_urls[2]`. A name that is no plain word is put in quotes. */
export function shownPath(path: readonly PropertyKey[]): string {
  let shown = '';
  for (const part of path) {
    if (typeof part === 'number') shown += `[${part}]`;
    else if (typeof part === 'string' && /^[A-Za-z_$][\w$-]{0,39}$/.test(part)) {
      shown += shown === '' ? part : `.${part}`;
    } else shown += `[${quoted(String(part))}]`;
  }
  return shown;
}
