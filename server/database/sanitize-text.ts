/**
 * Makes text from an upstream or a receiver safe for PostgreSQL text and JSON: a NUL or a lone
 * surrogate would make the whole statement fail.
 */
export const sanitizeText = (text: string, { lengthMax }: { readonly lengthMax: number }): string =>
  text.replaceAll('\0', '').slice(0, lengthMax).toWellFormed();
