/**
 * What is heard in a clip: the audio files given, the edited video's own sound, or music that fits
 * the words. Exactly as long as the picture; none at all when none is asked for.
 */

import type { Plan } from './plan.ts';
import type { PromptBrief } from './prompt-brief.ts';
import { seedFrom } from './random.ts';
import type { JobMaterial, RenderJob } from './render-job.ts';
import { mix } from './sound/mix.ts';
import { createMusic } from './sound/music.ts';
import { openRecording } from './sound/recording.ts';
import type { AudioStream } from './sound/sound.ts';
import { UnusableRecording } from './sound/sound-file.ts';
import { naming } from './unusable.ts';

export type SoundtrackOptions = {
  readonly plan: Plan;
  readonly brief: PromptBrief;
  readonly seconds: number;
};

/**
 * Null for a silent clip. Throws `UnusableRecording`, naming the file, when one cannot be heard.
 * Under given audio an edit's own sound takes the place of the music, and comes back after it.
 */
export async function openSoundtrack(
  job: RenderJob,
  { plan, brief, seconds }: SoundtrackOptions,
): Promise<AudioStream | null> {
  const { generation, materials } = job;
  if (!generation.generateAudio) return null;
  const isHeard = plan.mode !== 'text' && plan.mode !== 'images';
  const audios = materials.filter(({ kind }) => isHeard && kind === 'audio');
  const given: AudioStream[] = [];
  for (const audio of audios) {
    if (audio.file !== null) given.push(await openAudio(audio, seconds));
  }
  const own = plan.mode === 'edit' ? await ownSound(plan.chosen, seconds) : null;
  if (own && given.length === 0) return mix({ given: [own], bed: null, seconds });
  const music = (): AudioStream =>
    createMusic({
      ...{ seconds, mood: brief.mood, ambience: brief.ambience, pace: brief.pace },
      seed: seedFrom(generation.prompt, job.seed),
    });
  return mix({ given, bed: own ?? music(), seconds });
}

async function openAudio(material: JobMaterial, secondsMax: number): Promise<AudioStream> {
  const recording = await naming(material, async () => {
    const opened = await openFile(material, secondsMax);
    if (!opened) throw new UnusableRecording('there is no sound in it');
    return opened;
  });
  return named(recording, material);
}

/** A picture is edited all the same when there is no sound with it, or none that can be read. */
async function ownSound(
  material: JobMaterial | null,
  secondsMax: number,
): Promise<AudioStream | null> {
  if (!material) return null;
  const recording = await openFile(material, secondsMax).catch((error: unknown) => {
    if (error instanceof UnusableRecording) return null;
    throw error;
  });
  return recording && named(recording, material);
}

const openFile = async ({ file }: JobMaterial, secondsMax: number): Promise<AudioStream | null> =>
  file === null ? null : await openRecording(file, { secondsMax });

const named = (sound: AudioStream, material: JobMaterial): AudioStream => ({
  ...sound,
  next: () => naming(material, () => sound.next()),
});
