/** Reads a sound in pieces of any size, and can look ahead to find its end. */
import { type AudioStream, joinSamples } from './sound.ts';

export type BufferedReader = {
  /** Reads until `samples` per channel are buffered, or the sound has ended. */
  fill(samples: number): Promise<void>;
  buffered(): number;
  /** The next samples, at most as many as are buffered. */
  take(samples: number): Float32Array;
};

export function createBufferedReader(sound: AudioStream): BufferedReader {
  let buffer = new Float32Array(0);
  let hasEnded = false;
  return {
    async fill(samples) {
      while (!hasEnded && buffer.length < samples * 2) {
        const block = await sound.next();
        hasEnded = block === null;
        if (block) buffer = joinSamples([buffer, block]);
      }
    },
    buffered: () => buffer.length / 2,
    take(samples) {
      const taken = buffer.subarray(0, samples * 2);
      buffer = buffer.subarray(taken.length);
      return taken;
    },
  };
}
