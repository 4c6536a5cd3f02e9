/** Chance that can be repeated: the same seed gives the same spellings, in the same order. */
import { type Random, randomFrom } from '../../../renderer/random.ts';

export class SeededRandom {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** A whole number from 0 up to, and without, `below`: 2^32 at most. */
  below(below: number): number {
    return Math.floor(this.#random() * below);
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
  pickWeighted<Item>(choices: readonly (readonly [weight: number, item: Item])[]): Item {
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

  /** 32 bits. */
  #next(): number {
    return this.#random() * 2 ** 32;
  }
}
