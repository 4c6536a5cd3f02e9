/**
 * A look-ahead limiter: lowers the gain shortly before a peak, so that the sound stays below the
 * ceiling without distortion. Reads one block ahead and keeps the length.
 */
import { type AudioStream, sampleRate } from './sound.ts';

/** Peaks are measured per chunk: 1.3 ms. */
const chunkSamples = 64;
/** The gain falls over 8 chunks, about 10 ms, and rises again over a third of a second. */
const fallPerChunk = 1 / 8;
const risePerChunk = (chunkSamples / sampleRate) * 3;

export function limited(sound: AudioStream, ceiling: number): AudioStream {
  let gain = 1;
  let ahead: Promise<Float32Array | null> | null = null;
  return {
    async next() {
      const block = await (ahead ?? sound.next());
      if (block === null) return null;
      ahead = sound.next();
      const next = await ahead;
      const gains = [...gainsOf(block, ceiling), ...(next ? gainsOf(next, ceiling) : [])];
      spreadBackwards(gains);
      gain = applyGains(block, gains, gain);
      return block;
    },
    close: () => sound.close(),
  };
}

function gainsOf(block: Float32Array, ceiling: number): number[] {
  const gains: number[] = [];
  for (let from = 0; from < block.length; from += chunkSamples * 2) {
    const to = Math.min(block.length, from + chunkSamples * 2);
    let peak = 0;
    for (let at = from; at < to; at += 1) peak = Math.max(peak, Math.abs(block[at]!));
    gains.push(peak > ceiling ? ceiling / peak : 1);
  }
  return gains;
}

/** Lowers the gain of the chunks before a peak, so that it never drops suddenly. */
function spreadBackwards(gains: number[]): void {
  for (let at = gains.length - 2; at >= 0; at -= 1) {
    const after = gains[at + 1]!;
    gains[at] = Math.min(gains[at]!, after + fallPerChunk * (1 - after));
  }
}

/** The gain moves linearly within a chunk. Returns the gain at the end of the block. */
function applyGains(block: Float32Array, gains: readonly number[], before: number): number {
  let gain = before;
  for (let chunk = 0; chunk * chunkSamples * 2 < block.length; chunk += 1) {
    const from = chunk * chunkSamples * 2;
    const to = Math.min(block.length, from + chunkSamples * 2);
    const end = Math.min(gains[chunk]!, gains[chunk + 1] ?? 1, gain + risePerChunk);
    const start = Math.min(gain, gains[chunk]!);
    if (start === 1 && end === 1) continue;
    const slope = ((end - start) * 2) / (to - from);
    for (let at = from; at < to; at += 2) {
      const level = start + (slope * (at - from)) / 2;
      block[at]! *= level;
      block[at + 1]! *= level;
    }
    gain = end;
  }
  return gain;
}
