/** Finding one's way in a schema: which fields it knows, and what stands at a path. */
import { z } from 'zod';

/** The schema without the word "optional" around it. */
const unwrapOptional = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrapOptional(schema.unwrap())
    : schema;

/** Every field of the schema by its path, in the order of the contract's tables. */
export function knownPaths(schema: z.ZodObject, above: readonly string[] = []): string[] {
  return Object.entries(schema.shape).flatMap(([name, part]) => {
    const path = [...above, name];
    const inner = unwrapOptional(part);
    return [path.join('.'), ...(inner instanceof z.ZodObject ? knownPaths(inner, path) : [])];
  });
}

/** What the schema asks for at a path of a value, or null where it knows of nothing. */
export function schemaAt(
  schema: z.ZodObject,
  path: readonly PropertyKey[],
): { readonly schema: unknown; readonly isOptional: boolean } | null {
  let part: unknown = schema;
  for (const step of path) {
    const inner = unwrapOptional(part);
    if (inner instanceof z.ZodObject) part = inner.shape[step as string];
    else if (inner instanceof z.ZodArray) part = inner.element;
    else return null;
  }
  return part === undefined
    ? null
    : { schema: unwrapOptional(part), isOptional: part !== unwrapOptional(part) };
}

/** OpenAPI's word for what is not shown to anybody, in a message of ours neither. */
export const secretFormat = 'password';

export const isSecret = (part: unknown): boolean =>
  part instanceof z.ZodType && part.meta()?.format === secretFormat;

/** Far above any request that means something; below what takes noticeable time to judge. */
const fieldsMax = 100;
const entriesMax = 1000;

/**
 * The places of a value that hold more than anybody would send. A body of 1 MiB can hold half a
 * million entries, and telling each that it is wrong takes seconds.
 */
export function findOversized(
  schema: unknown,
  value: unknown,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly count: number; readonly max: number }[] {
  const inner = unwrapOptional(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.length > entriesMax ? [{ path, count: value.length, max: entriesMax }] : [];
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  const count = Object.keys(value).length;
  if (count > fieldsMax) return [{ path, count, max: fieldsMax }];
  return Object.entries(inner.shape).flatMap(([name, part]) =>
    findOversized(part, Object.hasOwn(value, name) ? value[name as never] : undefined, [
      ...path,
      name,
    ]),
  );
}
