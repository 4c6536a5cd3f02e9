/**
 * Extension: the customer's own pairs on a task, such as an order number. They are kept and
 * returned as they were sent, and no provider receives them.
 */
import { z } from 'zod';
import { textProblem } from './text.ts';

const metadataPairsMax = 16;
const metadataKeyCharactersMax = 64;
/** Counts all keys and values together, in UTF-8. */
const metadataBytesMax = 2048;

export const Metadata = z.record(z.string(), z.string()).meta({
  id: 'Metadata',
  maxProperties: metadataPairsMax,
  propertyNames: { type: 'string', minLength: 1, maxLength: metadataKeyCharactersMax },
});
export type Metadata = Readonly<Record<string, string>>;

/** Returns the rule that the pairs break, or null. Values may still be of any type. */
export function metadataProblem(metadata: Readonly<Record<string, unknown>>): string | null {
  const pairs = Object.entries(metadata);
  if (pairs.length > metadataPairsMax) {
    return `must contain at most ${metadataPairsMax} pairs (got ${pairs.length})`;
  }
  let bytes = 0;
  for (const [key, value] of pairs) {
    const keyCharacters = Array.from(key).length;
    if (keyCharacters < 1 || keyCharacters > metadataKeyCharactersMax) {
      const got = `got one of ${keyCharacters}`;
      return `must have keys of 1 to ${metadataKeyCharactersMax} characters (${got})`;
    }
    if (typeof value !== 'string') return 'must have strings as values';
    const problem = textProblem(key) ?? textProblem(value);
    if (problem !== null) return problem;
    bytes += utf8.encode(key).length + utf8.encode(value).length;
  }
  if (bytes <= metadataBytesMax) return null;
  return `must have at most ${metadataBytesMax} bytes of keys and values (got ${bytes})`;
}

const utf8 = new TextEncoder();

/** The query parameter of lists: `metadata[order]=42`. */
const metadataParameter = /^metadata\[(.+)\]$/s;

/** Separates `metadata[key]=value` parameters from the rest of a query. */
export function splitMetadataQuery(query: Readonly<Record<string, unknown>>): {
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly rest: Readonly<Record<string, unknown>>;
} {
  const entries = Object.entries(query);
  const pairs = entries.flatMap(([name, value]) => {
    const key = metadataParameter.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  if (pairs.length === 0) return { metadata: undefined, rest: query };
  const rest = entries.filter(([name]) => !metadataParameter.test(name));
  return { metadata: Object.fromEntries(pairs), rest: Object.fromEntries(rest) };
}
