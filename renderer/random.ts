/** Seeded random numbers and noise: the same seed always gives the same clip. */
import { createHash } from 'node:crypto';

/** Returns the next number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** The mulberry32 generator, with 32 bits of state. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A hash of the parts, for example of prompt and seed. */
export function seedFrom(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(parts.join('\0')).digest().readUInt32LE(0);
}

export const between = (random: Random, range: { from: number; to: number }): number =>
  range.from + random() * (range.to - range.from);

export const oneOf = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0];

export type Noise = {
  /** Smooth noise, about -1 to 1. */
  at(x: number, y: number): number;
  /** Fractal noise: `octaves` layers of finer and fainter detail. */
  rough(x: number, y: number, octaves: number): number;
};

/** Perlin gradient noise on a table shuffled by the seed. */
export function noiseFrom(random: Random): Noise {
  const order = Array.from({ length: 256 }, (_, index) => index);
  for (let last = 255; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  const table = Uint8Array.from(order);
  const angles = Float32Array.from({ length: 256 }, () => random() * 2 * Math.PI);
  const across = angles.map(Math.cos);
  const down = angles.map(Math.sin);

  // Called a million times per clip: no allocation.
  function at(x: number, y: number): number {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const dx = x - column;
    const dy = y - row;
    const left = table[column & 255]! + row;
    const right = table[(column + 1) & 255]! + row;
    const nw = table[left & 255]!;
    const ne = table[right & 255]!;
    const sw = table[(left + 1) & 255]!;
    const se = table[(right + 1) & 255]!;
    const u = dx * dx * dx * (dx * (dx * 6 - 15) + 10);
    const v = dy * dy * dy * (dy * (dy * 6 - 15) + 10);
    const a = across[nw]! * dx + down[nw]! * dy;
    const b = across[ne]! * (dx - 1) + down[ne]! * dy;
    const c = across[sw]! * dx + down[sw]! * (dy - 1);
    const d = across[se]! * (dx - 1) + down[se]! * (dy - 1);
    const top = a + u * (b - a);
    return (top + v * (c + u * (d - c) - top)) * 1.5;
  }

  function rough(x: number, y: number, octaves: number): number {
    let sum = 0;
    let weight = 0.5;
    let scale = 1;
    for (let octave = 0; octave < octaves; octave += 1) {
      sum += weight * at(x * scale + octave * 17.1, y * scale + octave * 9.7);
      weight /= 2;
      scale *= 2.03;
    }
    return sum;
  }

  return { at, rough };
}
