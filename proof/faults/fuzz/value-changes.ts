/** One change at one place of a JSON value. */
import fc from 'fast-check';
import type { Json } from './document.ts';
import { anyCharacter } from './values.ts';

export type Change = {
  readonly kind: 'drop' | 'replace' | 'add';
  /** The place, modulo the number of places. */
  readonly position: number;
  /** Of a field that is added. */
  readonly name: string;
  readonly odd: unknown;
};

const names = [
  ...['extra', 'Prompt', '', ' ', 'toString', '💡', 'a.b', '0', '__proto__', 'constructor'],
  ...['duration', 'model', 'input', 'amount', 'name', 'mode', 'password', 'id'],
];
const oddValues = [
  ...[0, -1, 0.5, 1e308, 2 ** 53, -(2 ** 40), true, null, '', '5', 'x\0', 'x\ud800', [], {}, [[]]],
  ...['x'.repeat(100_000), Array(2000).fill('x'), [null]],
];

export const anyChange: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('drop', 'replace', 'replace', 'add'),
  position: fc.nat({ max: 40 }),
  name: fc.constantFrom(...names),
  odd: fc.oneof(
    fc.constantFrom<unknown>(...oddValues),
    fc.integer(),
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: anyCharacter, maxLength: 20 }),
  ),
});

type Path = readonly (string | number)[];
type JsonNode = { readonly path: Path; readonly value: unknown };

/** `field` is the last key on the path; null without a single field to name. */
export function applyChange(
  value: unknown,
  { kind, position, name, odd }: Change,
): { readonly value: unknown; readonly field: string | null } {
  const nodes = [...nodesOf({ path: [], value })];
  const holders = nodes.filter((one) => isObject(one.value));
  const holder = holders[position % holders.length];
  if (kind === 'add' && holder) {
    // An own property, as `JSON.parse` makes it; an assignment would change the prototype.
    const described = { value: odd ?? 1, enumerable: true };
    const other = Object.defineProperty({ ...(holder.value as Json) }, name, described);
    return { value: changed(value, holder.path, () => other), field: name };
  }
  const { path } = nodes[position % nodes.length]!;
  const field = (path.findLast((step) => typeof step === 'string') ?? 'body') as string;
  const last = path.at(-1);
  if (kind === 'drop' && last !== undefined) {
    return { value: changed(value, path.slice(0, -1), (inner) => without(inner, last)), field };
  }
  // Another object instead of the whole has several errors.
  const isWhole = path.length === 0 && isObject(odd);
  return { value: changed(value, path, () => odd), field: isWhole ? null : field };
}

function* nodesOf(node: JsonNode): Generator<JsonNode> {
  yield node;
  if (typeof node.value !== 'object' || node.value === null) return;
  for (const [name, value] of Object.entries(node.value)) {
    const step = Array.isArray(node.value) ? Number(name) : name;
    yield* nodesOf({ path: [...node.path, step], value });
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function changed(
  value: unknown,
  [step, ...rest]: Path,
  change: (inner: unknown) => unknown,
): unknown {
  if (step === undefined) return change(value);
  const inner = changed((value as Json)[step], rest, change);
  if (Array.isArray(value)) return value.with(step as number, inner);
  return { ...(value as Json), [step]: inner };
}

function without(value: unknown, last: string | number): unknown {
  if (Array.isArray(value)) return value.toSpliced(last as number, 1);
  const { [last]: _, ...rest } = value as Json;
  return rest;
}
