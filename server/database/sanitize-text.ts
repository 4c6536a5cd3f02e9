/**
 * Words of others (an upstream's, a receiver's) as PostgreSQL can hold them, also inside of JSON: a
 * text with a NUL or half a character in it would refuse the whole statement, and what it was
 * about.
 */
export const sanitizeText = (text: string, { lengthMax }: { readonly lengthMax: number }): string =>
  text.replaceAll('\0', '').slice(0, lengthMax).toWellFormed();
