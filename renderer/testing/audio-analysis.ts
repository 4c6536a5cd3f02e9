/** Hears a sound to its end and measures it, for tests: nobody listens to them, so numbers must. */
import { type Sound, sampleRate } from '../sound/sound.ts';
import { createInverseTransform } from '../sound/spectrum.ts';

/** All of it, interleaved. Fails on a block that is no block. */
export async function renderSamples(sound: Sound): Promise<Float32Array> {
  const blocks: Float32Array[] = [];
  for (let block = await sound.next(); block !== null; block = await sound.next()) {
    if (block.length === 0 || block.length > sampleRate * 2 || block.length % 2 !== 0) {
      throw new Error(`a block of ${block.length} values`);
    }
    blocks.push(block.slice());
  }
  await sound.close();
  const all = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const block of blocks) {
    all.set(block, filled);
    filled += block.length;
  }
  return all;
}

/** A sound of the given samples, in blocks of odd sizes, as a decoder gives them. */
export function soundOf(samples: Float32Array): Sound & { isClosed(): boolean } {
  let from = 0;
  let closed = false;
  return {
    async next() {
      const block = samples.slice(from, from + 2 * (9_000 + ((from * 7) % 30_000)));
      from += block.length;
      return block.length > 0 ? block : null;
    },
    async close() {
      closed = true;
    },
    isClosed: () => closed,
  };
}

/** A steady tone on both sides. */
export function toneOf(options: {
  readonly hertz: number;
  readonly seconds: number;
  readonly level: number;
}): Float32Array {
  const samples = new Float32Array(Math.round(options.seconds * sampleRate) * 2);
  for (let at = 0; at < samples.length; at += 1) {
    const angle = (2 * Math.PI * options.hertz * (at >> 1)) / sampleRate;
    samples[at] = options.level * Math.sin(angle);
  }
  return samples;
}

/**
 * Where two sounds part, in seconds; null when they are the same to the bit. A comparison that
 * fails would otherwise print a million samples.
 */
export function firstDifference(one: Float32Array, other: Float32Array): number | null {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    if (one[at] !== other[at]) return (at >> 1) / sampleRate;
  }
  return null;
}

/** The part between two moments, in seconds. */
export const between = (samples: Float32Array, from: number, to: number): Float32Array =>
  samples.subarray(Math.round(from * sampleRate) * 2, Math.round(to * sampleRate) * 2);

export const peakOf = (samples: Float32Array): number =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

export const loudnessOf = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

/** How far the whole is off its zero. */
export const offsetOf = (samples: Float32Array): number =>
  samples.reduce((sum, sample) => sum + sample, 0) / samples.length;

/** From one sample to the next of the same side: a click is a large one. */
export function largestStep(samples: Float32Array): number {
  let largest = 0;
  for (let at = 2; at < samples.length; at += 1) {
    largest = Math.max(largest, Math.abs(samples[at]! - samples[at - 2]!));
  }
  return largest;
}

/** How loud one tone is in it (Goertzel's filter over the left side). */
export function toneLevel(samples: Float32Array, hertz: number): number {
  const turn = 2 * Math.cos((2 * Math.PI * hertz) / sampleRate);
  let [now, before] = [0, 0];
  for (let at = 0; at < samples.length; at += 2) {
    [now, before] = [samples[at]! + turn * now - before, now];
  }
  return (2 * Math.sqrt(now * now + before * before - turn * now * before)) / (samples.length / 2);
}

const size = 4_096;

/** Loudness in decibels by octave, the first from 47 to 94 Hz, both sides together. */
export function octavesOf(samples: Float32Array): number[] {
  const transform = createInverseTransform(size);
  const power = new Float64Array(8);
  let windows = 0;
  for (let from = 0; from + size * 2 <= samples.length; from += size * 2) {
    const real = Float64Array.from({ length: size }, (_, at) => {
      const value = samples[from + at * 2]! + samples[from + at * 2 + 1]!;
      return value * (0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size));
    });
    const imaginary = new Float64Array(size);
    transform(real, imaginary);
    for (let bin = 4; bin < size / 4; bin += 1) {
      const octave = Math.floor(Math.log2(bin / 4));
      power[octave]! += (real[bin]! ** 2 + imaginary[bin]! ** 2) / size ** 2;
    }
    windows += 1;
  }
  return Array.from(power, (sum) => 10 * Math.log10(sum / windows + 1e-12));
}
