/** Takes sound in pieces of any size, and looks ahead: is there still so much, or does it end? */
import type { AudioStream } from './sound.ts';

export type Reader = {
  /** Reads on until so many samples of each channel wait, or the sound has ended. */
  fill(samples: number): Promise<void>;
  /** Samples of each channel that wait. */
  waiting(): number;
  /** Whether nothing comes after what waits. */
  hasEnded(): boolean;
  /** The next samples; never more than wait. */
  take(samples: number): Float32Array;
};

export function createReader(sound: AudioStream): Reader {
  let held = new Float32Array(0);
  let ended = false;
  return {
    async fill(samples) {
      while (!ended && held.length < samples * 2) {
        const block = await sound.next();
        ended = block === null;
        if (block) held = joined(held, block);
      }
    },
    waiting: () => held.length / 2,
    hasEnded: () => ended,
    take(samples) {
      const taken = held.subarray(0, samples * 2);
      held = held.subarray(taken.length);
      return taken;
    },
  };
}

function joined(one: Float32Array, other: Float32Array): Float32Array<ArrayBuffer> {
  const both = new Float32Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
