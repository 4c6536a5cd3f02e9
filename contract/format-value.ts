/**
 * A value that a client sent, made fit to stand inside one of our sentences: short, on one line,
 * and never able to end the sentence or hide what follows it.
 */
const charactersMax = 40;

/** The first characters of a text, by code point, so that no character is cut in half. */
export function truncate(text: string): string {
  const head = [...text.slice(0, 2 * charactersMax + 2)];
  return head.length > charactersMax ? `${head.slice(0, charactersMax - 1).join('')}…` : text;
}

/** Controls, direction marks, lone surrogates and odd spaces are told by number, not shown. */
const unprintable = /(?! )[\p{C}\p{Z}]/gu;

function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const quote = (text: string): string =>
  `"${escapeUnprintable(truncate(text).replace(/["\\]/g, (character) => `\\${character}`))}"`;

/** The value as a person would name it: text in quotes, figures as they are, the rest by kind. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** Where a value stands: `input.image_urls[2]`. A name that is no plain word is put in quotes. */
export function formatPath(path: readonly PropertyKey[]): string {
  let formatted = '';
  for (const part of path) {
    if (typeof part === 'number') formatted += `[${part}]`;
    else if (typeof part === 'string' && /^[A-Za-z_$][\w$-]{0,39}$/.test(part)) {
      formatted += formatted === '' ? part : `.${part}`;
    } else formatted += `[${quote(String(part))}]`;
  }
  return formatted;
}
