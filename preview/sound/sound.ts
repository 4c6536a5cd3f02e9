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
