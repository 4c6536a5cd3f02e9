/** How loud a given audio file is at each moment, so that its card can show what is heard. */
import type { JobMaterial } from '../render-job.ts';
import { fadeSeconds } from '../sound/mix.ts';
import { openRecording } from '../sound/recording.ts';
import { sampleRate } from '../sound/sound.ts';
import { naming } from '../unusable.ts';

export type Loudness = {
  readonly seconds: number;
  /** From 0, silence, to 1, the loudest of this file. */
  at(second: number): number;
};

/** As many values a second as a bar of the wave form can show. */
const valuesPerSecond = 48;

/** Null when there is no sound in it. */
export async function readLoudness(file: string, secondsMax: number): Promise<Loudness | null> {
  const recording = await openRecording(file, { secondsMax });
  if (!recording) return null;
  const values: number[] = [];
  // Every fourth sample tells the loudness as well as all of them.
  const [step, stride] = [(sampleRate / valuesPerSecond) * 2, 8];
  for (let block = await recording.next(); block; block = await recording.next()) {
    for (let from = 0; from < block.length; from += step) {
      let sum = 0;
      const to = Math.min(from + step, block.length);
      for (let at = from; at < to; at += stride) sum += block[at]! ** 2;
      values.push(Math.sqrt((sum * stride) / (to - from)));
    }
  }
  await recording.close();
  const loudest = Math.max(0.01, ...values);
  return {
    seconds: values.length / valuesPerSecond,
    // The ear hears ratios: half the level looks less than half as loud otherwise.
    at: (second) => Math.sqrt((values[Math.floor(second * valuesPerSecond)] ?? 0) / loudest),
  };
}

/** Of each audio file that is there, by its place in the request, in the time of the clip. */
export async function loudnessInTurn(
  materials: readonly JobMaterial[],
  secondsMax: number,
): Promise<Map<number, Loudness['at']>> {
  const heard = new Map<number, Loudness['at']>();
  let startsAt = 0;
  for (const material of materials) {
    const { kind, index, file } = material;
    if (kind !== 'audio' || file === null) continue;
    const loudness = await naming(material, () => readLoudness(file, secondsMax));
    if (!loudness) continue;
    const from = startsAt;
    heard.set(index, (second) => loudness.at(second - from));
    startsAt += Math.max(0, loudness.seconds - fadeSeconds);
  }
  return heard;
}
