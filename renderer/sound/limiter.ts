/**
 * Keeps a sound below a ceiling without bending it: what would be too loud is turned down as a
 * whole, from a little before it comes. Reads one block ahead for that, and changes no length.
 */
import { type AudioStream, sampleRate } from './sound.ts';

/** Loudness is judged this often: 1.3 ms. */
const chunkSamples = 64;
/** Turned down over 8 chunks, about 10 ms; turned up again over a third of a second. */
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
      const needed = [...gainsOf(block, ceiling), ...(next ? gainsOf(next, ceiling) : [])];
      prepare(needed);
      gain = turnDown(block, needed, gain);
      return block;
    },
    close: () => sound.close(),
  };
}

/** What each chunk may be multiplied with, at most. */
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

/** Spreads each need over the chunks before it, so that the turning down is never sudden. */
function prepare(gains: number[]): void {
  for (let at = gains.length - 2; at >= 0; at -= 1) {
    const after = gains[at + 1]!;
    gains[at] = Math.min(gains[at]!, after + fallPerChunk * (1 - after));
  }
}

/** Between chunks the gain moves in a straight line, below the need of either. Returns its end. */
function turnDown(block: Float32Array, needed: readonly number[], before: number): number {
  let gain = before;
  for (let chunk = 0; chunk * chunkSamples * 2 < block.length; chunk += 1) {
    const from = chunk * chunkSamples * 2;
    const to = Math.min(block.length, from + chunkSamples * 2);
    const end = Math.min(needed[chunk]!, needed[chunk + 1] ?? 1, gain + risePerChunk);
    const begin = Math.min(gain, needed[chunk]!);
    if (begin === 1 && end === 1) continue;
    const slope = ((end - begin) * 2) / (to - from);
    for (let at = from; at < to; at += 2) {
      const level = begin + (slope * (at - from)) / 2;
      block[at]! *= level;
      block[at + 1]! *= level;
    }
    gain = end;
  }
  return gain;
}
