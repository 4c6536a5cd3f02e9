/** What every source of sound gives: blocks of samples, as many in all as the clip is long. */

export type Mood = 'calm' | 'joyful' | 'epic' | 'dark' | 'dreamy' | 'tense';
export type Ambience =
  | 'wind'
  | 'sea'
  | 'rain'
  | 'thunder'
  | 'fire'
  | 'birds'
  | 'crickets'
  | 'city'
  | 'hum'
  | 'water';

export const sampleRate = 48_000;

export type Sound = {
  /** At most a second of interleaved stereo samples from -1 to 1; null at the end. */
  next(): Promise<Float32Array | null>;
  close(): Promise<void>;
};

/** Samples of each channel, exactly, of a sound this long. */
export const samplesIn = (seconds: number): number => Math.round(seconds * sampleRate);

/** A stretch of the clip, in samples of each channel: a second, or what is left at the end. */
export type Block = { readonly from: number; readonly count: number };

/** Two channels apart, as sound is worked on. Both are at least as long as the block. */
export type Stereo = { readonly left: Float32Array; readonly right: Float32Array };

export const createStereo = (): Stereo => ({
  left: new Float32Array(sampleRate),
  right: new Float32Array(sampleRate),
});
