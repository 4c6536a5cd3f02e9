/**
 * Formats a client's value for a message: short, on one line, and unable to end the message or hide
 * the text after it.
 */
const charactersMax = 40;

/** Returns the first characters of a text, by code point, so that no character is split. */
function truncate(text: string): string {
  const head = [...text.slice(0, 2 * charactersMax + 2)];
  return head.length > charactersMax ? `${head.slice(0, charactersMax - 1).join('')}…` : text;
}

/** Control characters, direction marks, lone surrogates and unusual spaces are escaped. */
const unprintable = /(?! )[\p{C}\p{Z}]/gu;

function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const quote = (text: string): string =>
  `"${escapeUnprintable(truncate(text).replace(/["\\]/g, (character) => `\\${character}`))}"`;

/** Text in quotes, numbers as they are, everything else by its type. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** Formats a path such as `input.image_urls[2]`. Unusual names are quoted. */
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
