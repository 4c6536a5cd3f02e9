/** The interface of both encoders: frames and samples in, an MP4 out. */
import type { Size } from '../size.ts';

export type Encoder = {
  /** RGBA pixels, which must not change afterwards. Resolves when another frame can be added. */
  addFrame(rgba: Buffer): Promise<void>;
  /** Interleaved stereo samples from -1 to 1. Add each second before its frames. */
  addAudio(samples: Float32Array): Promise<void>;
  close(): Promise<void>;
};

export type EncoderOptions = {
  readonly file: string;
  readonly size: Size;
  readonly framesPerSecond: number;
  /** The number of frames. The first and the last are encoded at a higher quality. */
  readonly frames: number;
  readonly sampleRate: number | null;
};

export const audioBitsPerSecond = 160_000;
/** Seconds between key frames. */
export const groupSeconds = 2;
