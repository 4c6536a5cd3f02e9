/**
 * Draws values that a JSON Schema allows. Fields with a known name (a URL, a token, an email)
 * mostly get a meaningful value, since others fail at the first check.
 */
import fc from 'fast-check';
import type { Json } from './document.ts';

type Resolve = (schema: Json) => Json;

/** Values by field name. */
export type Hints = Readonly<Record<string, readonly string[]>>;

const arrayMax = 4;
const stringMax = 60;
const triesMax = 200;

export function valueFor(
  schema: Json,
  { resolve, hints, name = '' }: { resolve: Resolve; hints: Hints; name?: string },
): fc.Arbitrary<unknown> {
  const inner = (part: unknown, partName = name) =>
    valueFor(part as Json, { resolve, hints, name: partName });
  const resolved = resolve(schema);
  const { const: only, enum: enumValues, anyOf, oneOf, type } = resolved;
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(enumValues)) return fc.constantFrom(...enumValues);
  const choices = (anyOf ?? oneOf) as Json[] | undefined;
  if (choices) return fc.oneof(...choices.map((choice) => inner(choice)));
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => inner({ ...resolved, type: one })));
  switch (type) {
    case 'object':
      return objectFor(resolved, inner);
    case 'array': {
      const { minItems = 0, maxItems = arrayMax } = resolved as Bounds;
      const maxLength = Math.max(minItems, Math.min(maxItems, arrayMax));
      return fc.array(inner(resolved.items), { minLength: minItems, maxLength });
    }
    case 'integer':
    case 'number':
      return numberFor(resolved);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textFor(resolved, hints[name]);
  }
  return fc.jsonValue({ maxDepth: 2 });
}

type Bounds = Readonly<
  Record<
    'minItems' | 'maxItems' | 'minimum' | 'maximum' | 'minLength' | 'maxLength',
    number | undefined
  >
>;

function objectFor(
  schema: Json,
  inner: (part: unknown, name: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Json);
  const required = (schema.required ?? []) as string[];
  const model = Object.fromEntries(properties.map(([name, part]) => [name, inner(part, name)]));
  return fc.record(model, { requiredKeys: required, noNullPrototype: true });
}

function numberFor(schema: Json): fc.Arbitrary<number> {
  const { minimum = 0, maximum = 2_000_000_000 } = schema as Bounds;
  const edges = fc.constantFrom(minimum, maximum);
  const small = Math.min(maximum, minimum + 100);
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: minimum, max: small }) },
    { weight: 1, arbitrary: edges },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) },
  );
}

/** By code point, as JSON Schema counts; lone surrogates and NUL are separate changes. */
export const anyCharacter = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...'abcXYZ 0123456789-_.:/?&=%"\'\\<>{}[]') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('é', 'ß', '漢', '😀', '\u0301', '\u200b', '\u202e', '\t', '\n'),
  },
);

const timestamps = [
  '2030-01-31T12:00:00Z',
  '2026-11-15T08:30:00+01:00',
  '2026-01-01T00:00:00.123Z',
];

function textFor(schema: Json, hints: readonly string[] = []): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as Bounds;
  if (schema.format === 'date-time') return fc.constantFrom(...timestamps);
  const max = Math.min(maxLength, Math.max(stringMax, minLength));
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : null;
  const fits = (text: string) => {
    const { length } = [...text];
    return length >= minLength && length <= maxLength && (!pattern || pattern.test(text));
  };
  const unfiltered = fc.string({ unit: anyCharacter, minLength, maxLength: max });
  const free = unfiltered.filter(fits);
  const edges = [minLength, Math.min(maxLength, 300)]
    .flatMap((length) => ['x'.repeat(length), '😀'.repeat(length)])
    .filter(fits);
  const isMail = pattern?.test('a@b') && !pattern.test('ab');
  // Texts that are drawn freely would hardly ever fit an ID, and drawing them would not end.
  const isRare = pattern && !fc.sample(unfiltered, triesMax).some(fits);
  const plain = isMail ? mail : isRare ? fc.stringMatching(pattern).filter(fits) : free;
  return fc.oneof(
    { weight: 2, arbitrary: plain },
    ...(edges.length > 0 ? [{ weight: 1, arbitrary: fc.constantFrom(...edges) }] : []),
    ...(hints.length > 0 ? [{ weight: 6, arbitrary: fc.constantFrom(...hints) }] : []),
  );
}

const mail = fc.nat({ max: 99_999 }).map((number) => `fuzz-${number}@example.com`);
