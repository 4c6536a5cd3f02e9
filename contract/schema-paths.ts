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

/** The fields of an object schema that hold arrays, objects or records, without their wrappers. */
const containersByObject = new WeakMap<z.ZodObject, readonly (readonly [string, z.ZodType])[]>();

/** Kept by schema: every create is checked. */
function containersOf(schema: z.ZodObject): readonly (readonly [string, z.ZodType])[] {
  const known = containersByObject.get(schema);
  if (known) return known;
  const containers = Object.entries(schema.shape).flatMap(([name, part]) => {
    const inner = unwrapOptional(part);
    const isContainer =
      inner instanceof z.ZodArray || inner instanceof z.ZodObject || inner instanceof z.ZodRecord;
    return isContainer ? [[name, inner] as const] : [];
  });
  containersByObject.set(schema, containers);
  return containers;
}

/**
 * Finds arrays and objects with too many entries. A body of 1 MiB can hold half a million, and
 * reporting each one would take seconds.
 */
export function findOversized(
  schema: z.ZodType,
  value: unknown,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly count: number; readonly max: number }[] {
  if (typeof value !== 'object' || value === null) return [];
  const isArray = Array.isArray(value);
  if (isArray !== schema instanceof z.ZodArray) return [];
  const count = isArray ? value.length : Object.keys(value).length;
  const max = isArray ? entriesMax : fieldsMax;
  if (count > max) return [{ path, count, max }];
  if (!(schema instanceof z.ZodObject)) return [];
  return containersOf(schema).flatMap(([name, part]) =>
    findOversized(part, ownValue(value, name), [...path, name]),
  );
}

const ownValue = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

/**
 * Finds entries named `__proto__` in records with fixed names. Zod leaves them out without an
 * issue, where it reports any other unknown name.
 */
export function findPrototypeEntries(schema: z.ZodObject, value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return containersOf(schema).flatMap(([name, part]) => {
    if (
      !(part instanceof z.ZodRecord) ||
      (part.keyType as z.ZodType).safeParse('__proto__').success
    )
      return [];
    const entries = ownValue(value, name);
    const isNamed = Object.hasOwn(Object(entries), '__proto__');
    return isNamed ? [[name, '__proto__']] : [];
  });
}
