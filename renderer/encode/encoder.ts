/** The interface of both encoders: frames and samples in, an MP4 out, which is checked. */
import { open } from 'node:fs/promises';
import type { Size } from '../size.ts';
import type { Mark } from './overlay.ts';

export type Encoder = {
  /**
   * RGBA pixels, which must not change until it resolves, and the opacity of each mark. Add frames
   * one after the other.
   */
  addFrame(rgba: Buffer, opacities: readonly number[]): Promise<void>;
  /** Interleaved stereo samples from -1 to 1. Add each second before its frames. */
  addAudio(samples: Float32Array): Promise<void>;
  close(): Promise<void>;
};

export type EncoderOptions = {
  readonly file: string;
  readonly size: Size;
  /** The size of the frames that are added; the encoder enlarges them. */
  readonly drawn: Size;
  /** Texts over the enlarged frames. */
  readonly marks: readonly Mark[];
  readonly framesPerSecond: number;
  /** The number of frames. The first and the last are encoded at a higher quality. */
  readonly frames: number;
  readonly sampleRate: number | null;
};

export const audioBitsPerSecond = 160_000;
/** Seconds between key frames. */
export const groupSeconds = 2;

type Boxes = {
  readonly names: readonly string[];
  /** Whether the last box ends with the file; false after a full disk. */
  readonly isComplete: boolean;
};

export async function boxesOf(file: string): Promise<Boxes> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const names: string[] = [];
  const head = Buffer.alloc(16);
  let at = 0;
  while (at + 8 <= size) {
    await handle.read(head, 0, 16, at);
    names.push(head.toString('latin1', 4, 8));
    const length = head.readUInt32BE(0);
    // 1 means a 64-bit length follows, 0 that the box extends to the end of the file.
    const bytes = length === 1 ? Number(head.readBigUInt64BE(8)) : length || size - at;
    if (bytes < 8) return { names, isComplete: false };
    at += bytes;
  }
  return { names, isComplete: at === size };
}

/** Throws unless the file is complete and has its index before the media. */
export async function checkWritten(file: string): Promise<void> {
  const { names, isComplete } = await boxesOf(file);
  const [index, media] = [names.indexOf('moov'), names.indexOf('mdat')];
  if (isComplete && index >= 0 && index < media) return;
  throw new Error('the clip was not written completely');
}
