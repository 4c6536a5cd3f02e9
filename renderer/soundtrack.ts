/**
 * The soundtrack of a clip: the given audio files, the edited video's own audio, or a generated
 * ambience that fits the prompt. Exactly as long as the clip; none when `generate_audio` is off.
 */
import type { Plan } from './plan.ts';
import type { PromptBrief } from './prompt-brief.ts';
import { seedFrom } from './random.ts';
import type { JobLimits, JobMaterial, RenderJob } from './render-job.ts';
import { createAmbience } from './sound/ambience.ts';
import { openAudioFile } from './sound/audio-file.ts';
import { mix } from './sound/mix.ts';
import { type AudioStream, sampleRate } from './sound/sound.ts';
import { combinedSecondsProblem, namingMaterial, UnusableMaterial } from './unusable.ts';

export type SoundtrackOptions = {
  readonly plan: Pick<Plan, 'composition' | 'chosen'>;
  readonly brief: Pick<PromptBrief, 'mood' | 'ambience'>;
  readonly seconds: number;
};

/**
 * Returns null for a silent clip. Throws `UnusableMaterial`, naming the file, if a given audio file
 * cannot be used, or if all together are longer than the model allows. In an edit the source's own
 * audio replaces the ambience.
 */
export async function openSoundtrack(
  job: RenderJob,
  options: SoundtrackOptions,
): Promise<AudioStream | null> {
  const { plan, brief, seconds } = options;
  const { generation, materials, limits } = job;
  if (!generation.generateAudio) return null;
  const usesAudio = plan.composition !== 'text' && plan.composition !== 'images';
  const given = materials.filter(({ kind, file }) => kind === 'audio' && file !== null);
  const used = usesAudio ? given : [];
  await requireCombinedSeconds(used, limits);
  const tracks: AudioStream[] = [];
  for (const material of used) tracks.push(await openTrack(material, seconds));
  const own = plan.composition === 'edit' ? await sourceAudio(plan.chosen, seconds) : null;
  if (own && tracks.length === 0) return mix({ tracks: [own], background: null, seconds });
  const { mood, ambience } = brief;
  const seed = seedFrom(generation.prompt, job.seed);
  const background = own ?? createAmbience({ seconds, mood, ambience, seed });
  return mix({ tracks, background, seconds });
}

async function requireCombinedSeconds(
  given: readonly JobMaterial[],
  limits: JobLimits,
): Promise<void> {
  const lengths: number[] = [];
  for (const material of given) {
    lengths.push(await namingMaterial(material, () => audibleSeconds(material.file!, limits)));
  }
  const problem = combinedSecondsProblem('audio files', lengths, limits);
  if (problem !== null) throw new UnusableMaterial(problem);
}

/** Counts at most twice what the model allows. */
async function audibleSeconds(file: string, limits: JobLimits): Promise<number> {
  const audio = await openAudioFile(file, { secondsMax: 2 * limits.combinedSecondsMax });
  let samples = 0;
  for (let block = await audio?.next(); block; block = await audio?.next()) samples += block.length;
  await audio?.close();
  return samples / 2 / sampleRate;
}

async function openTrack(material: JobMaterial, secondsMax: number): Promise<AudioStream> {
  const audio = await namingMaterial(material, async () => {
    const opened = await openAudioFile(material.file!, { secondsMax });
    if (!opened) throw new UnusableMaterial('it has no audio');
    return opened;
  });
  return naming(audio, material);
}

/** Null when the edited video has no audio that can be read; the edit then has an ambience. */
async function sourceAudio(
  material: JobMaterial | null,
  secondsMax: number,
): Promise<AudioStream | null> {
  if (!material?.file) return null;
  const audio = await openAudioFile(material.file, { secondsMax }).catch((error: unknown) => {
    if (error instanceof UnusableMaterial) return null;
    throw error;
  });
  return audio && naming(audio, material);
}

const naming = (sound: AudioStream, material: JobMaterial): AudioStream => ({
  ...sound,
  next: () => namingMaterial(material, () => sound.next()),
});
