/** Reads a sound to its end and measures it, for tests. */
import { type AudioStream, joinSamples, sampleRate } from '../sound/sound.ts';

/** All samples, interleaved. Throws if a block has an invalid length. */
export async function renderSamples(sound: AudioStream): Promise<Float32Array> {
  const blocks: Float32Array[] = [];
  for (let block = await sound.next(); block !== null; block = await sound.next()) {
    if (block.length === 0 || block.length > sampleRate * 2 || block.length % 2 !== 0) {
      throw new Error(`a block of ${block.length} values`);
    }
    blocks.push(block.slice());
  }
  await sound.close();
  return joinSamples(blocks);
}

/** A sound of the given samples, in blocks of varying sizes, as a decoder returns them. */
export function soundOf(samples: Float32Array): AudioStream & { isClosed(): boolean } {
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

/** When two sounds first differ, in seconds; null when they are identical. */
export function firstDifference(one: Float32Array, other: Float32Array): number | null {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    if (one[at] !== other[at]) return (at >> 1) / sampleRate;
  }
  return null;
}

export const between = (samples: Float32Array, from: number, to: number): Float32Array =>
  samples.subarray(Math.round(from * sampleRate) * 2, Math.round(to * sampleRate) * 2);

export const peakOf = (samples: Float32Array): number =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

export const loudnessOf = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

/** The largest difference between adjacent samples of one channel: a click has a large one. */
export function largestStep(samples: Float32Array): number {
  let largest = 0;
  for (let at = 2; at < samples.length; at += 1) {
    largest = Math.max(largest, Math.abs(samples[at]! - samples[at - 2]!));
  }
  return largest;
}

/** The level of one frequency in the left channel (Goertzel's algorithm). */
export function toneLevel(samples: Float32Array, hertz: number): number {
  const feedback = 2 * Math.cos((2 * Math.PI * hertz) / sampleRate);
  let [now, before] = [0, 0];
  for (let at = 0; at < samples.length; at += 2) {
    [now, before] = [samples[at]! + feedback * now - before, now];
  }
  const power = now * now + before * before - feedback * now * before;
  return (2 * Math.sqrt(power)) / (samples.length / 2);
}
