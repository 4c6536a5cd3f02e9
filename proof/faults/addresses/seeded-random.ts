/** A random generator with a seed: the same seed draws the same variants in the same order. */
import { type Random, randomFrom } from '../../../renderer/random.ts';

export class SeededRandom {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** An integer from 0 to `below` - 1; at most 2^32. */
  below(below: number): number {
    return Math.floor(this.#random() * below);
  }

  /** An integer of any size, `first` and `last` included. */
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

/** Splits a list that is written as text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);
