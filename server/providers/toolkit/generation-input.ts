/** What several adapters derive from a generation, and the reasons several cannot make one. */
import { editingDuration, type Generation } from '@vidgen/contract/create-generation.ts';

/**
 * Removes parameters from a prompt, so that it cannot change what was priced. Seedance reads
 * parameters in a prompt (`--dur 30`, `--rs 1080p`, `--wm false`), and the vendor does not say
 * whether they override the fields: a customer could pay for 4 seconds and get 30. The accepted
 * names are not documented, so every run of two or more hyphens becomes a dash, whatever follows.
 * Full-width and small hyphens and invisible characters between them count, because an upstream
 * that normalizes text would turn them into plain hyphens. Everything else stays byte for byte.
 */
export function withoutParameters(prompt: string): string {
  return prompt.replace(/[-\uFE63\uFF0D][-\uFE63\uFF0D\p{Cf}]*/gu, (run) => {
    const last = Math.max(...['-', '\uFE63', '\uFF0D'].map((hyphen) => run.lastIndexOf(hyphen)));
    return last === 0 ? run : `\u2014${run.slice(last + 1)}`;
  });
}

/** The seed the customer chose. Null and -1 both mean any seed; 0 is a seed. */
export const explicitSeed = ({ seed }: Pick<Generation, 'seed'>): number | undefined =>
  seed === null || seed < 0 ? undefined : seed;

/** Folds seeds beyond what an upstream takes, so that equal seeds stay equal. */
export function foldedSeed(
  generation: Pick<Generation, 'seed'>,
  seedMax: number | undefined,
): number | undefined {
  const seed = explicitSeed(generation);
  return seed === undefined || seedMax === undefined ? seed : seed % (seedMax + 1);
}

/** How long Seedance usually takes, with a margin for the host's queue. */
export function seedanceSeconds({ model, duration }: Generation): number {
  const outputSeconds = duration === editingDuration ? 30 : duration;
  return (model === 'vidgen-2-5' ? 120 : 90) + Math.ceil(outputSeconds * 7.2);
}

/** The reasons below are shown to customers and begin with the field. */
export const cannotMake = (
  field: 'duration' | 'generation_type' | 'resolution' | 'watermark',
  value: string | number | boolean,
): string => `input.${field} ${value} is not supported`;

export const cannotMakeRatio = ({
  aspectRatio,
  resolution,
}: Pick<Generation, 'aspectRatio' | 'resolution'>): string =>
  `input.aspect_ratio ${aspectRatio} is not supported at ${resolution}`;

export const cannotMakeLastFrame = 'input.image_urls with a last frame is not supported';

/** Counts UTF-16 code units, as Runway documents it; characters are never more. */
export function unsupportedPrompt(
  { prompt: { length } }: Pick<Generation, 'prompt'>,
  limits: { readonly min?: number | undefined; readonly max?: number | undefined },
): string | null {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits;
  if (length >= min && length <= max) return null;
  const rule = length < min ? `at least ${min}` : `at most ${max}`;
  return `input.prompt with ${length} characters is not supported (${rule})`;
}

/** `seconds`: the only lengths the upstream makes; null or undefined for any. */
export function unsupportedDuration(
  duration: number,
  seconds: readonly number[] | null | undefined,
): string | null {
  if (!seconds || seconds.includes(duration)) return null;
  // Not created at the start: it loads 30 ms of locale data.
  const choices = new Intl.ListFormat('en', { type: 'disjunction' });
  return `${cannotMake('duration', duration)} (only ${choices.format(seconds.map(String))})`;
}

/** Most files of each kind; 0 for none. */
export type ReferenceCounts = Readonly<Record<'images' | 'videos' | 'audios', number>>;

/** `filesMax`: of all kinds together. */
export function unsupportedReferences(
  { imageUrls, videoUrls, audioUrls }: Generation,
  { counts, filesMax = Number.POSITIVE_INFINITY }: { counts: ReferenceCounts; filesMax?: number },
): string | null {
  const lists = [
    ['image_urls', imageUrls.length, counts.images],
    ['video_urls', videoUrls.length, counts.videos],
    ['audio_urls', audioUrls.length, counts.audios],
  ] as const;
  for (const [field, count, most] of lists) {
    if (count === 0) continue;
    if (most === 0) return `input.${field} is not supported`;
    if (count > most)
      return `input.${field} with ${count} items is not supported (at most ${most})`;
  }
  const files = imageUrls.length + videoUrls.length + audioUrls.length;
  if (files > filesMax) {
    const fields = 'input.image_urls, video_urls and audio_urls';
    return `${fields} with ${files} files is not supported (at most ${filesMax})`;
  }
  const isAudioOnly = files === audioUrls.length;
  return isAudioOnly ? 'input.audio_urls without an image or video is not supported' : null;
}
