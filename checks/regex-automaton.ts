/**
 * The automaton of a regular expression: one state per element that consumes a character, and how
 * often each state can follow another. Bounded repetitions are shortened, which keeps their
 * ambiguity: what `{1,63}` can match in two ways, `{1,3}` can too.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';

export type Automaton = {
  /** For each state, the characters of `alphabet` that it matches. */
  readonly sets: readonly (readonly boolean[])[];
  /** One representative of each class of characters that no state tells apart. */
  readonly alphabet: readonly string[];
  /**
   * For each state, its followers with the number of ways (at most 2) to get there. State 0 skips
   * the characters before a match, and loops unless the expression is anchored.
   */
  readonly follow: readonly ReadonlyMap<number, number>[];
  /** States after which the whole expression has matched, whatever comes next. */
  readonly accepting: ReadonlySet<number>;
  /** The expressions inside of lookarounds, which are analyzed on their own. */
  readonly lookarounds: readonly string[];
};

/** More repetitions than this cost about as much as an unbounded one. */
const repetitionsMax = 64;
const copiesMax = 3;

/** Ways through a part: always, only at the start or end of the text, or by a condition. */
type Way = 'plain' | 'start' | 'end' | 'condition';
type Ways = ReadonlyMap<Way, number>;
type Entries = ReadonlyMap<number, Ways>;
type Part = { readonly empty: Ways; readonly first: Entries; readonly last: Entries };

const nothing: Ways = new Map();
const plain: Ways = new Map([['plain', 1]]);
/** The stricter of two ways in a row. */
const combined = (one: Way, other: Way): Way =>
  one === 'plain' || (one === 'condition' && other !== 'plain') ? other : one;

function sum(one: Ways, other: Ways): Ways {
  const all = new Map(one);
  for (const [way, count] of other) all.set(way, Math.min(2, (all.get(way) ?? 0) + count));
  return all;
}

function product(one: Ways, other: Ways): Ways {
  let all = nothing;
  for (const [oneWay, oneCount] of one) {
    for (const [otherWay, otherCount] of other) {
      const count = Math.min(2, oneCount * otherCount);
      all = sum(all, new Map([[combined(oneWay, otherWay), count]]));
    }
  }
  return all;
}

function merge(one: Entries, other: Entries): Entries {
  const all = new Map(one);
  for (const [state, ways] of other) all.set(state, sum(all.get(state) ?? nothing, ways));
  return all;
}

const through = (entries: Entries, ways: Ways): Entries =>
  new Map([...entries].map(([state, own]) => [state, product(own, ways)]));

/** Throws for what it does not know (back references), so that no expression passes unseen. */
export function automatonOf({ source, flags }: { source: string; flags: string }): Automaton {
  return new Builder(source, flags).build();
}

class Builder {
  readonly #pattern: AST.Pattern;
  readonly #flags: string;
  readonly #isMultiline: boolean;
  readonly #isSticky: boolean;
  readonly #elements: string[] = ['[^]'];
  readonly #follow: Map<number, number>[] = [new Map()];
  readonly #lookarounds: string[] = [];

  constructor(source: string, flags: string) {
    const mode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
    this.#pattern = new RegExpParser().parsePattern(source, 0, source.length, mode);
    this.#flags = flags.replace(/[gydm]/g, '');
    this.#isMultiline = flags.includes('m');
    this.#isSticky = flags.includes('y');
  }

  build(): Automaton {
    const whole = this.#alternatives(this.#pattern.alternatives);
    // The search tries every position: a state that matches anything comes first.
    const searched = this.#isSticky
      ? []
      : [...whole.first].filter(([, ways]) => countOf(ways, 'start') > 0);
    for (const [state, ways] of searched) this.#follow[0]!.set(state, countOf(ways, 'start'));
    if (searched.length > 0) this.#follow[0]!.set(0, 1);
    const accepting = [...whole.last].filter(([, ways]) => ways.has('plain'));
    return {
      ...charactersOf(this.#elements, { flags: this.#flags, source: this.#pattern.raw }),
      follow: this.#follow,
      accepting: new Set(accepting.map(([state]) => state)),
      lookarounds: this.#lookarounds,
    };
  }

  #alternatives(alternatives: readonly AST.Alternative[]): Part {
    return alternatives
      .map(({ elements }) => elements.map((element) => () => this.#part(element)))
      .map((elements) => this.#sequence(elements))
      .reduce((one, other) => ({
        empty: sum(one.empty, other.empty),
        first: merge(one.first, other.first),
        last: merge(one.last, other.last),
      }));
  }

  #sequence(parts: readonly (() => Part)[]): Part {
    let whole: Part = { empty: plain, first: new Map(), last: new Map() };
    for (const part of parts) {
      const next = part();
      this.#connect(whole.last, next.first);
      whole = {
        empty: product(whole.empty, next.empty),
        first: merge(whole.first, through(next.first, whole.empty)),
        last: merge(through(whole.last, next.empty), next.last),
      };
    }
    return whole;
  }

  #connect(last: Entries, first: Entries): void {
    for (const [from, out] of last) {
      for (const [to, into] of first) {
        const ways = product(out, into);
        const count = countOf(ways, 'start', 'end');
        const known = this.#follow[from]!.get(to) ?? 0;
        if (count > 0) this.#follow[from]!.set(to, Math.min(2, known + count));
      }
    }
  }

  #part(element: AST.Element): Part {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.#alternatives(element.alternatives);
      case 'Quantifier':
        return this.#repetition(element);
      case 'Assertion':
        return { empty: this.#assertion(element), first: new Map(), last: new Map() };
      case 'Backreference':
        throw new Error('a back reference cannot be analyzed');
      default: {
        const state = this.#elements.push(element.raw) - 1;
        this.#follow.push(new Map());
        return {
          empty: nothing,
          first: new Map([[state, plain]]),
          last: new Map([[state, plain]]),
        };
      }
    }
  }

  #assertion(assertion: AST.Assertion): Ways {
    const isEdge = assertion.kind === 'start' || assertion.kind === 'end';
    if (assertion.kind === 'lookahead' || assertion.kind === 'lookbehind') {
      this.#lookarounds.push(assertion.alternatives.map(({ raw }) => raw).join('|'));
    }
    return new Map([[isEdge && !this.#isMultiline ? (assertion.kind as Way) : 'condition', 1]]);
  }

  #repetition({ min, max, element }: AST.Quantifier): Part {
    if (max === 0) return { empty: plain, first: new Map(), last: new Map() };
    const isLoop = max > repetitionsMax;
    const required = Math.min(min, copiesMax);
    const copies = isLoop ? Math.max(1, required) : Math.min(max, copiesMax);
    const parts = Array.from({ length: copies }, (_, index) => () => {
      const part = this.#part(element);
      if (isLoop && index === copies - 1) this.#connect(part.last, part.first);
      // JavaScript discards a repetition beyond the required ones that matches nothing.
      return index < required ? part : { ...part, empty: nothing };
    });
    return nested(parts, required, (sequence) => this.#sequence(sequence));
  }
}

/** `a{1,3}` is `a(?:a(?:a)?)?`: an omitted repetition omits the rest, so there is one way each. */
function nested(
  parts: readonly (() => Part)[],
  required: number,
  sequence: (parts: readonly (() => Part)[]) => Part,
): Part {
  const [head, ...rest] = parts;
  if (!head) return { empty: plain, first: new Map(), last: new Map() };
  const whole = sequence([head, () => nested(rest, Math.max(0, required - 1), sequence)]);
  return required > 0 ? whole : { ...whole, empty: plain };
}

function countOf(ways: Ways, ...without: readonly Way[]): number {
  return [...ways].reduce((total, [way, count]) => total + (without.includes(way) ? 0 : count), 0);
}

/** Characters of every kind that an expression here tells apart. */
const samples = [
  ...Array.from({ length: 0x250 }, (_, code) => String.fromCodePoint(code)),
  ...'\u0300\u05d0\u0627\u0939\u0e01\u200b\u200c\u200d\u2014\u2028\u2026\u3000\u3001\u3042\u4e00',
  ...'\uac00\ufe0f\ufeff\ufffd\u{1f600}\u{1f1e6}\u{20000}',
];

/** Groups characters that the same states match; the first of each group stands for it. */
function charactersOf(
  elements: readonly string[],
  { flags, source }: { readonly flags: string; readonly source: string },
): Pick<Automaton, 'sets' | 'alphabet'> {
  const patterns = elements.map((raw) => new RegExp(`^(?:${raw})$`, flags));
  const classes = new Map<string, string>();
  for (const character of new Set([...samples, ...source])) {
    const matched = patterns.map((pattern) => (pattern.test(character) ? '1' : '0')).join('');
    if (!classes.has(matched)) classes.set(matched, character);
  }
  const memberships = [...classes.keys()];
  return {
    alphabet: [...classes.values()],
    sets: elements.map((_, state) => memberships.map((matched) => matched[state] === '1')),
  };
}
