/**
 * How long a regular expression can take: it backtracks exponentially if a loop can match one text
 * in two ways, and at least quadratically if two loops in a row can share one text (Weber and
 * Seidl, "On the degree of ambiguity of finite automata"). The search for the start of a match
 * counts as the first loop of every expression that is not anchored.
 */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { type Automaton, automatonOf } from './regex-automaton.ts';

export type Ambiguity = 'linear' | 'quadratic' | 'exponential';

export function ambiguityOf(expression: { source: string; flags: string }): Ambiguity {
  const automaton = automatonOf(expression);
  const { flags } = expression;
  const inside = automaton.lookarounds.map((source) => ambiguityOf({ source, flags }));
  const graph = graphOf(automaton);
  const own = isExponential(graph) ? 'exponential' : isQuadratic(graph) ? 'quadratic' : 'linear';
  return worst([own, slowRepeatOf(expression) ?? 'linear', ...inside]);
}

const worst = (all: readonly Ambiguity[]): Ambiguity =>
  (['exponential', 'quadratic'] as const).find((one) => all.includes(one)) ?? 'linear';

type Graph = Automaton & {
  /** The strongly connected component of each state; null outside of loops. */
  readonly loopOf: readonly (number | null)[];
  /** Whether two or three states match a common character. */
  shares(...states: readonly number[]): boolean;
};

function graphOf(automaton: Automaton): Graph {
  const { follow, sets, alphabet } = automaton;
  const reach = follow.map((_, state) => reachable([state], (from) => [...follow[from]!.keys()]));
  const loopOf = follow.map((_, state) => {
    const loop = [...reach[state]!].filter((other) => reach[other]!.has(state));
    return loop.length > 0 && reach[state]!.has(state) ? Math.min(...loop) : null;
  });
  const shares = (...states: readonly number[]) =>
    alphabet.some((_, index) => states.every((state) => sets[state]![index]));
  return { ...automaton, loopOf, shares };
}

function reachable<Node>(
  starts: readonly Node[],
  next: (node: Node) => readonly Node[],
): Set<Node> {
  const seen = new Set<Node>();
  const pending = starts.flatMap(next);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    pending.push(...next(node));
  }
  return seen;
}

/** A state from which two different paths over the same text lead back to it. */
function isExponential(graph: Graph): boolean {
  const { follow, loopOf, shares } = graph;
  const size = follow.length;
  const isFinal = (state: number) => graph.accepting.has(state);
  return follow.some((edges, state) => {
    const loop = loopOf[state];
    if (loop === null || isFinal(state)) return false;
    const within = [...edges].filter(([to]) => loopOf[to] === loop);
    if (within.some(([, count]) => count > 1)) return true;
    const next = (pair: number): number[] => {
      const one = Math.floor(pair / size);
      const other = pair % size;
      return [...follow[one]!.keys()].flatMap((to) =>
        [...follow[other]!.keys()]
          .filter((also) => loopOf[to] === loop && loopOf[also] === loop && shares(to, also))
          .map((also) => to * size + also),
      );
    };
    const split = [...reachable([state * size + state], next)].filter(
      (pair) => Math.floor(pair / size) !== pair % size,
    );
    return reachable(split, next).has(state * size + state);
  });
}

/** Two states, each looping over a text that also leads from the first to the second. */
function isQuadratic(graph: Graph): boolean {
  const { follow, loopOf, accepting } = graph;
  const states = follow.map((_, state) => state).filter((state) => loopOf[state] !== null);
  return states.some((first) =>
    states.some(
      // Once it has matched whatever follows, nothing is tried again.
      (second) => first !== second && !accepting.has(second) && canShareText(graph, first, second),
    ),
  );
}

function canShareText({ follow, loopOf, shares }: Graph, first: number, second: number): boolean {
  const size = follow.length;
  const encode = (one: number, middle: number, other: number) =>
    (one * size + middle) * size + other;
  const next = (triple: number): number[] => {
    const other = triple % size;
    const middle = Math.floor(triple / size) % size;
    const one = Math.floor(triple / size / size);
    const inLoop = (state: number, loop: number) =>
      [...follow[state]!.keys()].filter((to) => loopOf[to] === loopOf[loop]);
    const triples: number[] = [];
    for (const a of inLoop(one, first)) {
      for (const c of inLoop(other, second)) {
        if (!shares(a, c)) continue;
        for (const b of follow[middle]!.keys()) if (shares(a, b, c)) triples.push(encode(a, b, c));
      }
    }
    return triples;
  };
  return reachable([encode(first, first, second)], next).has(encode(first, second, second));
}

/** Each repetition of an optional part doubles the ways to match. */
const optionalRepeatsMax = 8;

function slowRepeatOf({
  source,
  flags,
}: {
  readonly source: string;
  readonly flags: string;
}): 'exponential' | 'quadratic' | null {
  const isUnicode = flags.includes('u');
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: isUnicode,
    unicodeSets: flags.includes('v'),
  });
  let found: 'exponential' | 'quadratic' | null = null;
  let lookbehinds = 0;
  visitRegExpAST(pattern, {
    onQuantifierEnter({ max, element }) {
      if (max > optionalRepeatsMax && max !== Number.POSITIVE_INFINITY && isOptional(element)) {
        found = 'exponential';
      }
      if (lookbehinds > 0 && max === Number.POSITIVE_INFINITY) found ??= 'quadratic';
    },
    onAssertionEnter({ kind }) {
      if (kind === 'lookbehind') lookbehinds += 1;
    },
    onAssertionLeave({ kind }) {
      if (kind === 'lookbehind') lookbehinds -= 1;
    },
  });
  return found;
}

function isOptional(element: AST.Element): boolean {
  switch (element.type) {
    case 'Quantifier':
      return element.min === 0 || isOptional(element.element);
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.some(({ elements }) => elements.every(isOptional));
    case 'Assertion':
    case 'Backreference':
      return true;
    default:
      return false;
  }
}
