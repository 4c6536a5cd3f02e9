/**
 * Converts Zod schemas to the JSON Schemas of the OpenAPI document. Schemas with an id become
 * components, which are referenced; the others are inlined.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

export type SchemaRegistry = {
  /** Converts the schema of a body, as it is on the wire. */
  wire(schema: z.ZodType): Json;
  /** Converts the fields of a query or a path to the types they are parsed to. */
  fields(schema: z.ZodObject): Readonly<Record<string, Json>>;
  /** All schemas with an id that were converted so far. */
  components(): Readonly<Record<string, Json>>;
};

export function createSchemaRegistry(): SchemaRegistry {
  const components = new Map<string, Json>();

  function convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    const options = { io, unrepresentable: 'any', override: forEveryReader } as const;
    const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, options);
    for (const [name, definition] of Object.entries($defs)) {
      const component = withReferences(definition) as Json;
      const known = components.get(name);
      assert(!known || isDeepStrictEqual(known, component), `two schemas are named ${name}`);
      components.set(name, component);
    }
    return withReferences(own) as Json;
  }

  return {
    wire: (schema) => convert(schema, 'input'),
    fields: (schema) => convert(schema, 'output').properties as Record<string, Json>,
    components: () =>
      Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/**
 * Removes the bounds of safe integers, which are limits of JavaScript and not of the service, and
 * patterns with classes of Unicode, which most validators do not know.
 */
function forEveryReader({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (String(jsonSchema.pattern ?? '').includes('\\p{')) delete jsonSchema.pattern;
}

/** Points references to definitions of the schema to the components of the document. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace(/^#\/\$defs\//, '#/components/schemas/')
        : withReferences(inner),
    ]),
  );
}
