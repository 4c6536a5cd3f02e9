/** Navigates a schema: its known fields, and the schema at a path. */
import { z } from 'zod';

/** The schema without its `optional` wrapper. */
const unwrapOptional = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrapOptional(schema.unwrap())
    : schema;

/** The paths of all fields, in the order of the contract's tables. */
export function knownPaths(schema: z.ZodObject, above: readonly string[] = []): string[] {
  return Object.entries(schema.shape).flatMap(([name, part]) => {
    const path = [...above, name];
    const inner = unwrapOptional(part);
    return [path.join('.'), ...(inner instanceof z.ZodObject ? knownPaths(inner, path) : [])];
  });
}

/** The schema at a path of a value, or null if the path is unknown. */
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

/** OpenAPI's format for values that are not shown; messages leave them out as well. */
export const secretFormat = 'password';

export const isSecret = (part: unknown): boolean =>
  part instanceof z.ZodType && part.meta()?.format === secretFormat;

/** Far above any meaningful request, and below what takes noticeable time to check. */
const fieldsMax = 100;
const entriesMax = 1000;

/**
 * Finds arrays and objects with too many entries. A body of 1 MiB can hold half a million, and
 * reporting each one would take seconds.
 */
export function findOversized(
  schema: unknown,
  value: unknown,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly count: number; readonly max: number }[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = unwrapOptional(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.length > entriesMax ? [{ path, count: value.length, max: entriesMax }] : [];
  }
  if (!(inner instanceof z.ZodObject || inner instanceof z.ZodRecord)) return [];
  const count = Object.keys(value).length;
  if (count > fieldsMax) return [{ path, count, max: fieldsMax }];
  if (inner instanceof z.ZodRecord) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    if (!Object.hasOwn(inner.shape, name)) return [];
    return findOversized(inner.shape[name], part, [...path, name]);
  });
}
