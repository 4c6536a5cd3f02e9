/** Chance that can be repeated: the same seed gives the same spellings, in the same order. */

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to, and without, `below`: 2^32 at most. */
  below(below: number): number {
    return Math.floor((this.#next() / 2 ** 32) * below);
  }

  /** A whole number of any size, `first` and `last` included. */
  between(first: bigint, last: bigint): bigint {
    const draws = [0, 0, 0, 0, 0].map(() => BigInt(this.#next()));
    const number = draws.reduce((sum, draw) => (sum << 32n) | draw, 0n);
    return first + (number % (last - first + 1n));
  }

  isOneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** Each is as likely as its number says. */
  weigh<Item>(choices: readonly (readonly [weight: number, item: Item])[]): Item {
    let left = this.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of choices) {
      if (left < weight) return item;
      left -= weight;
    }
    throw new Error('nothing to choose from');
  }

  list<Item>(length: number, make: () => Item): Item[] {
    return Array.from({ length }, make);
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map((item) => ({ item, key: this.#next() }));
    return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
