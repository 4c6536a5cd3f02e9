/**
 * One change at one place of a JSON value. The result is text, since some changes have no value in
 * JavaScript (a duplicate key, 1e400).
 */
import fc from 'fast-check';
import type { Json } from './document.ts';
import { anyCharacter, type Resolve } from './values.ts';

const changeKinds = [
  ...(['drop', 'another type', 'null', 'below', 'above', 'fraction', 'unknown word'] as const),
  ...(['extra field', 'known field elsewhere', 'too long', 'NUL', 'half a character'] as const),
  ...(['deep', '__proto__', 'number beyond numbers', 'given twice', 'too many'] as const),
  'anything',
] as const;
type ChangeKind = (typeof changeKinds)[number];

export type Change = {
  readonly kind: ChangeKind;
  /** The place, modulo the number of places. */
  readonly position: number;
  readonly odd: unknown;
};

export type ChangedValue = {
  readonly text: string;
  /** The last key on the path; null without a single field to name. */
  readonly field: string | null;
  /** Parsers could read it in two ways, so it must be rejected whatever the schema says. */
  readonly isAmbiguous: boolean;
};

export const anyChange: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...changeKinds),
  position: fc.nat({ max: 40 }),
  odd: fc.oneof(
    fc.constantFrom<unknown>(0, -1, 0.5, 1e308, 2 ** 53, true, null, '', '5', [], {}, [[]], [null]),
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: anyCharacter, maxLength: 20 }),
  ),
});

type Path = readonly (string | number)[];
type JsonNode = { readonly path: Path; readonly value: unknown; readonly schema: Json };

export function applyChange(
  value: unknown,
  { schema, resolve, change }: { schema: Json; resolve: Resolve; change: Change },
): ChangedValue {
  const nodes = [...nodesOf({ path: [], value, schema: resolve(schema) }, resolve)];
  const node = nodes[change.position % nodes.length]!;
  const field = (node.path.findLast((step) => typeof step === 'string') ?? 'body') as string;
  if (change.kind === 'given twice') return duplicateField(value, nodes, change);
  if (isAddition(change.kind)) {
    const holders = nodes.filter((one) => isObject(one.value));
    const holder = holders[change.position % holders.length];
    if (holder) return addField(value, holder, change);
  }
  if (change.kind === 'drop' && node.path.length > 0) {
    return { text: written(without(value, node.path)), field, isAmbiguous: false };
  }
  const other = replacement(node, change);
  // Another object instead of the whole has several errors.
  const isWhole = node.path.length === 0 && isObject(other);
  const text = written(withAt(value, node.path, other));
  return { text, field: isWhole ? null : field, isAmbiguous: false };
}

function* nodesOf(node: JsonNode, resolve: Resolve): Generator<JsonNode> {
  yield node;
  const { path, value, schema } = node;
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const part = resolve(properties[name] ?? {});
      yield* nodesOf({ path: [...path, name], value: inner, schema: part }, resolve);
    }
  } else if (Array.isArray(value)) {
    const part = resolve((schema.items ?? {}) as Json);
    for (const [at, inner] of value.entries()) {
      yield* nodesOf({ path: [...path, at], value: inner, schema: part }, resolve);
    }
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Text that is inserted into the JSON unchanged. */
const raw = (text: string): string => `\u0001${text}\u0001`;
const written = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replace(/"\\u0001(.*?)\\u0001"/gs, (_, text: string) =>
    JSON.parse(`"${text}"`),
  );

const depth = 20_000;
const beyond = ['1e400', '-1e400', '9'.repeat(100), '-0', '1e-400', '123456789012345678901'];

function replacement({ value, schema }: JsonNode, { kind, odd, position }: Change): unknown {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema as Json & {
    readonly [bound: string]: number | undefined;
  };
  const text = typeof value === 'string' ? value : 'x';
  switch (kind) {
    case 'null':
      return null;
    case 'another type':
      return [0, 'text', true, [], {}, ['x'], 1.5].filter((one) => !isLike(one, value))[
        position % 5
      ];
    case 'below':
      if (typeof value === 'number') return (minimum ?? -(2 ** 40)) - 1;
      if (typeof value === 'string') return 'x'.repeat(Math.max(0, (minLength ?? 1) - 1));
      return Array.isArray(value) ? value.slice(0, Math.max(0, (minItems ?? 1) - 1)) : odd;
    case 'above':
      if (typeof value === 'number') return (maximum ?? 2 ** 60) + 1;
      if (typeof value === 'string') return 'x'.repeat((maxLength ?? 20_000) + 1);
      return Array.isArray(value) ? Array((maxItems ?? 100) + 1).fill(value[0] ?? 'x') : odd;
    case 'fraction':
      return typeof value === 'number' ? value + 0.5 : 0.5;
    case 'unknown word':
      return `${text}~`;
    case 'too long':
      return 'x'.repeat(100_000);
    case 'NUL':
      return `${text}\0`;
    case 'half a character':
      return `${text}\ud800`;
    case 'deep':
      return raw('['.repeat(depth) + ']'.repeat(depth));
    case 'number beyond numbers':
      return raw(beyond[position % beyond.length]!);
    case 'too many':
      return Array(2000).fill(Array.isArray(value) ? (value[0] ?? 'x') : 'x');
    default:
      return odd;
  }
}

const isLike = (one: unknown, other: unknown): boolean =>
  typeof one === typeof other && Array.isArray(one) === Array.isArray(other);

const isAddition = (kind: ChangeKind): boolean =>
  kind === 'extra field' || kind === 'known field elsewhere' || kind === '__proto__';

const oddNames = ['extra', 'Prompt', '', ' ', 'toString', 'hasOwnProperty', '💡', 'a.b', '0'];
const protoNames = ['__proto__', 'constructor', 'prototype'];
const knownNames = ['duration', 'model', 'input', 'amount', 'name', 'mode', 'password', 'id'];

function addField(value: unknown, holder: JsonNode, { kind, position, odd }: Change): ChangedValue {
  const names = kind === '__proto__' ? protoNames : kind === 'extra field' ? oddNames : knownNames;
  const field = names[position % names.length]!;
  // An own property, as `JSON.parse` makes it; an assignment would change the prototype.
  const other = Object.defineProperty({ ...(holder.value as Json) }, field, {
    value: odd ?? 1,
    enumerable: true,
  });
  return { text: written(withAt(value, holder.path, other)), field, isAmbiguous: false };
}

/** Repeats a key of an object, half of the time with escaped characters. */
function duplicateField(
  value: unknown,
  nodes: readonly JsonNode[],
  { position, odd }: Change,
): ChangedValue {
  const fields = nodes.filter(({ path }) => typeof path.at(-1) === 'string');
  const chosen = fields[position % fields.length];
  if (!chosen) return { text: '{"a":1,"a":2}', field: 'a', isAmbiguous: true };
  const name = chosen.path.at(-1) as string;
  const spelledName = position % 2 === 0 ? JSON.stringify(name) : escapedName(name);
  const holder = chosen.path.slice(0, -1);
  const object = holder.reduce<unknown>((inner, step) => (inner as Json)[step], value) as Json;
  const fieldsText = JSON.stringify(object).slice(1, -1);
  const text = `{${fieldsText},${spelledName}:${JSON.stringify(odd ?? null)}}`;
  return { text: written(withAt(value, holder, raw(text))), field: name, isAmbiguous: true };
}

const escapedName = (name: string): string =>
  `"${[...name].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;

function withAt(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other;
  const inner = withAt((value as Json)[step], rest, other);
  if (Array.isArray(value)) return value.with(step as number, inner);
  return { ...(value as Json), [step]: inner };
}

function without(value: unknown, path: Path): unknown {
  const holder = path.slice(0, -1);
  const last = path.at(-1)!;
  const object = holder.reduce<unknown>((inner, step) => (inner as Json)[step], value);
  if (Array.isArray(object)) return withAt(value, holder, object.toSpliced(last as number, 1));
  const { [last]: _, ...rest } = object as Json;
  return withAt(value, holder, rest);
}
