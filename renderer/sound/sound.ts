/** The audio types and constants shared by every source of sound. */

export type Ambience = 'wind' | 'sea' | 'rain' | 'fire' | 'birds' | 'crickets' | 'city' | 'hum';

export const sampleRate = 48_000;

export type AudioStream = {
  /** At most one second of interleaved stereo samples from -1 to 1; null at the end. */
  next(): Promise<Float32Array | null>;
  close(): Promise<void>;
};

/** The exact number of samples per channel in a sound of this length. */
export const samplesIn = (seconds: number): number => Math.round(seconds * sampleRate);

/** Part of the clip, in samples per channel: one second, or less at the end. */
export type AudioBlock = { readonly from: number; readonly count: number };

/** Two separate channels, each at least as long as a block. */
export type Stereo = { readonly left: Float32Array; readonly right: Float32Array };

export const createStereo = (): Stereo => ({
  left: new Float32Array(sampleRate),
  right: new Float32Array(sampleRate),
});

export function joinSamples(blocks: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const all = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const block of blocks) {
    all.set(block, filled);
    filled += block.length;
  }
  return all;
}

/** In place: bends peaks softly, so that none exceeds the ceiling. */
export function limitPeaks(samples: Float32Array, ceiling: number): void {
  const room = ceiling * 0.2;
  const knee = ceiling - room;
  for (const [at, sample] of samples.entries()) {
    const over = Math.abs(sample) - knee;
    if (over > 0) samples[at] = Math.sign(sample) * (knee + room * Math.tanh(over / room));
  }
}
