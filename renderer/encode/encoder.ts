/**
 * What every encoder does: frames and samples in, an MP4 out. What a clip looks like does not
 * depend on which one makes it.
 */
import type { Size } from '../size.ts';

export type Encoder = {
  /** The pixels, RGBA, must not change any more. Resolves when there is room for another frame. */
  addFrame(rgba: Buffer): Promise<void>;
  /** Interleaved stereo samples from -1 to 1. Add those of a second before its frames. */
  addAudio(samples: Float32Array): Promise<void>;
  /** Resolves when the file is whole. */
  close(): Promise<void>;
};

export type EncoderOptions = {
  readonly file: string;
  readonly size: Size;
  readonly framesPerSecond: number;
  /** How many will be added. The first and the last are kept with special care. */
  readonly frames: number;
  /** Samples a second of the sound track, null for a silent file. */
  readonly sampleRate: number | null;
};

/** Of the sound track. */
export const audioBitsPerSecond = 160_000;
/** A player can jump to the beginning of each. */
export const groupSeconds = 2;
