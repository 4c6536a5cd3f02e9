/**
 * Draws values that a JSON Schema allows, and changes one place of a value. Fields with a known
 * name (a URL, a token, an email) mostly get a meaningful value, since others fail at the first
 * check.
 */
import fc from 'fast-check';
import type { Json } from './document.ts';

export type Hints = Readonly<Record<string, readonly string[]>>;

const arrayMax = 4;
const stringMax = 60;
const triesMax = 200;

type Bound = 'minItems' | 'maxItems' | 'minimum' | 'maximum' | 'minLength' | 'maxLength';
type Bounds = Readonly<Partial<Record<Bound, number>>>;

export function valueFor(
  schema: Json,
  options: { readonly resolve: (schema: Json) => Json; readonly hints: Hints },
  name = '',
): fc.Arbitrary<unknown> {
  const inner = (part: unknown, partName = name) => valueFor(part as Json, options, partName);
  const resolved = options.resolve(schema);
  const { const: only, enum: enumValues, anyOf, oneOf, type } = resolved;
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(enumValues)) return fc.constantFrom(...enumValues);
  const choices = (anyOf ?? oneOf) as Json[] | undefined;
  if (choices) return fc.oneof(...choices.map((choice) => inner(choice)));
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => inner({ ...resolved, type: one })));
  const { minItems = 0, maxItems = arrayMax, minimum = 0, maximum = 2e9 } = resolved as Bounds;
  switch (type) {
    case 'object': {
      const properties = Object.entries((resolved.properties ?? {}) as Json);
      const model = Object.fromEntries(properties.map(([key, part]) => [key, inner(part, key)]));
      const requiredKeys = (resolved.required ?? []) as string[];
      return fc.record(model, { requiredKeys, noNullPrototype: true });
    }
    case 'array': {
      const maxLength = Math.max(minItems, Math.min(maxItems, arrayMax));
      return fc.array(inner(resolved.items), { minLength: minItems, maxLength });
    }
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) }),
        fc.integer({ min: minimum, max: maximum }),
        fc.constantFrom(minimum, maximum),
      );
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textFor(resolved, options.hints[name]);
  }
  return fc.jsonValue({ maxDepth: 2 });
}

/** By code point, as JSON Schema counts; lone surrogates and NUL are separate changes. */
const anyCharacter = fc.oneof(
  fc.constantFrom(...'abcXYZ 0123456789-_.:/?&=%"\'\\<>{}[]'),
  fc.constantFrom('é', 'ß', '漢', '😀', '\u0301', '\u200b', '\u202e', '\t', '\n'),
);
export const anyText = (maxLength: number) => fc.string({ unit: anyCharacter, maxLength });

function textFor(schema: Json, hints: readonly string[] = []): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as Bounds;
  if (schema.format === 'date-time') return fc.constantFrom('2030-01-31T12:00:00Z');
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : null;
  const fits = (text: string) => {
    const { length } = [...text];
    return length >= minLength && length <= maxLength && (!pattern || pattern.test(text));
  };
  const max = Math.max(minLength, Math.min(maxLength, stringMax));
  const unfiltered = fc.string({ unit: anyCharacter, minLength, maxLength: max });
  const edges = [minLength, Math.min(maxLength, 300)]
    .flatMap((length) => ['x'.repeat(length), '😀'.repeat(length)])
    .filter(fits);
  // Texts that are drawn freely would hardly ever fit an ID, and drawing them would not end.
  const isRare = pattern && !fc.sample(unfiltered, triesMax).some(fits);
  const free = isRare ? fc.stringMatching(pattern).filter(fits) : unfiltered.filter(fits);
  return fc.oneof(
    { weight: 2, arbitrary: free },
    { weight: edges.length > 0 ? 1 : 0, arbitrary: fc.constantFrom(...edges, '') },
    { weight: hints.length > 0 ? 6 : 0, arbitrary: fc.constantFrom(...hints, '') },
  );
}

const names = [
  ...['extra', 'Prompt', '', ' ', 'toString', '💡', 'a.b', '0', '__proto__', 'constructor'],
  ...['duration', 'model', 'input', 'amount', 'name', 'mode', 'password', 'id'],
];
const oddValues = [
  ...[0, -1, 0.5, 1e308, 2 ** 53, -(2 ** 40), true, null, '', '5', 'x\0', 'x\ud800', [], {}, [[]]],
  ...['x'.repeat(100_000), Array(2000).fill('x'), [null]],
];
const anyOddValue = fc.oneof(
  fc.constantFrom<unknown>(...oddValues),
  fc.integer(),
  fc.jsonValue({ maxDepth: 2 }),
  anyText(20),
);

/** The same value with one field or item dropped, replaced or added. */
export const changedValue = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .record({
      kind: fc.constantFrom('drop', 'replace', 'replace', 'add'),
      position: fc.nat({ max: 40 }),
      name: fc.constantFrom(...names),
      odd: anyOddValue,
    })
    .map(({ kind, position, name, odd }) => {
      const root = { value: structuredClone(value) };
      const places = [...placesIn(root)];
      const { holder, key } = places[position % places.length]!;
      const held = (holder as Record<string, unknown>)[key];
      if (kind === 'add' && typeof held === 'object' && held !== null) {
        // An own property, as `JSON.parse` makes it; an assignment would change the prototype.
        Object.defineProperty(held, name, { value: odd ?? 1, enumerable: true });
      } else if (kind !== 'drop') Object.assign(holder, { [key]: odd });
      else if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete (holder as Record<string, unknown>)[key];
      return root.value;
    });

function* placesIn(holder: object): Generator<{ readonly holder: object; readonly key: string }> {
  for (const [key, value] of Object.entries(holder)) {
    yield { holder, key };
    if (typeof value === 'object' && value !== null) yield* placesIn(value);
  }
}
