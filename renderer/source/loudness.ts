/** The loudness of the given audio files over time, for the waveforms on their cards. */
import type { JobMaterial } from '../render-job.ts';
import { openAudioFile } from '../sound/audio-file.ts';
import { fadeSeconds } from '../sound/mix.ts';
import { sampleRate } from '../sound/sound.ts';
import { namingMaterial } from '../unusable.ts';

export type Loudness = {
  readonly seconds: number;
  /** From 0 for silence to 1 for the loudest part of this file. */
  at(second: number): number;
};

const valuesPerSecond = 48;

/** Returns null when the file has no audio. */
export async function readLoudness(file: string, secondsMax: number): Promise<Loudness | null> {
  const audio = await openAudioFile(file, { secondsMax });
  if (!audio) return null;
  const values: number[] = [];
  // Every fourth sample is enough.
  const [step, stride] = [(sampleRate / valuesPerSecond) * 2, 8];
  for (let block = await audio.next(); block; block = await audio.next()) {
    for (let from = 0; from < block.length; from += step) {
      let sum = 0;
      const to = Math.min(from + step, block.length);
      for (let at = from; at < to; at += stride) sum += block[at]! ** 2;
      values.push(Math.sqrt((sum * stride) / (to - from)));
    }
  }
  await audio.close();
  const loudest = Math.max(0.01, ...values);
  return {
    seconds: values.length / valuesPerSecond,
    // The square root matches perceived loudness better than the level.
    at: (second) => Math.sqrt((values[Math.floor(second * valuesPerSecond)] ?? 0) / loudest),
  };
}

/** By the index of each fetched audio file, in clip time: the files play one after the other. */
export async function loudnessByIndex(
  materials: readonly JobMaterial[],
  secondsMax: number,
): Promise<Map<number, Loudness['at']>> {
  const loudnesses = new Map<number, Loudness['at']>();
  let startsAt = 0;
  for (const material of materials) {
    const { kind, index, file } = material;
    if (kind !== 'audio' || file === null) continue;
    const loudness = await namingMaterial(material, () => readLoudness(file, secondsMax));
    if (!loudness) continue;
    const from = startsAt;
    loudnesses.set(index, (second) => loudness.at(second - from));
    startsAt += Math.max(0, loudness.seconds - fadeSeconds);
  }
  return loudnesses;
}
