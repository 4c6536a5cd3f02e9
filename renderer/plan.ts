/**
 * Plans a clip from its job: the composition, the opened videos, which of them is edited or
 * extended, the size that `adaptive` follows, and the number of frames.
 */
import { openImage } from './card.ts';
import {
  framesPerSecond,
  type JobLimits,
  type JobMaterial,
  type MaterialKind,
  type RenderJob,
  unmeasuredEditSeconds,
} from './render-job.ts';
import type { Size } from './size.ts';
import { limitMemory, openVideo, type VideoSource } from './source/video.ts';
import { combinedSecondsProblem, namingMaterial, UnusableMaterial } from './unusable.ts';

export type Plan = {
  readonly composition: 'text' | 'images' | 'references' | 'edit' | 'extension';
  readonly videos: ReadonlyMap<number, VideoSource>;
  readonly chosen: JobMaterial | null;
  /** The size that `adaptive` follows; null without any. */
  readonly sourceSize: Size | null;
  readonly frames: number;
};

/** Throws `UnusableMaterial`, naming the material, if one cannot be used. */
export async function planOf(job: RenderJob): Promise<Plan> {
  const { generation, materials, limits } = job;
  const none = { videos: new Map(), chosen: null, frames: framesIn(generation.duration) };
  const type = generation.generationType;
  if (type === 'text-to-video' || materials.length === 0) {
    return { ...none, composition: 'text', sourceSize: null };
  }
  const imageSize = await firstImageSize(materials);
  if (type === 'image-to-video') return { ...none, composition: 'images', sourceSize: imageSize };

  const given = materials.filter(({ kind }) => kind === 'video');
  const videos = await openVideos(given, limits);
  const isEdit = generation.duration === -1;
  const chosen = isEdit ? editedOf(job, videos) : extendedOf(job, videos);
  const source = chosen ? videos.get(chosen.index) : undefined;
  const first = given.flatMap(({ index }) => videos.get(index) ?? [])[0];
  return {
    videos,
    chosen,
    composition: isEdit ? 'edit' : chosen ? 'extension' : 'references',
    sourceSize: source?.size ?? imageSize ?? first?.size ?? null,
    frames: framesIn(isEdit ? editSeconds(job, source) : generation.duration),
  };
}

const priceSlackSeconds = 0.05;

/** The source may have been replaced since it was priced, so it is cut to what was paid for. */
const editSeconds = ({ pricedSeconds }: RenderJob, source: VideoSource | undefined): number =>
  Math.min(
    source?.seconds ?? unmeasuredEditSeconds,
    (pricedSeconds ?? Number.POSITIVE_INFINITY) + priceSlackSeconds,
  );

const framesIn = (seconds: number): number => Math.max(1, Math.round(seconds * framesPerSecond));

async function firstImageSize(materials: readonly JobMaterial[]): Promise<Size | null> {
  const first = materials.find(({ kind, file }) => kind === 'image' && file !== null);
  return first ? await openImage(first) : null;
}

async function openVideos(
  given: readonly JobMaterial[],
  limits: JobLimits,
): Promise<Map<number, VideoSource>> {
  const opened: { readonly index: number; readonly source: VideoSource }[] = [];
  for (const material of given) {
    const { index, file } = material;
    if (file === null) continue;
    opened.push({ index, source: await namingMaterial(material, () => openVideo(file)) });
  }
  const seconds = opened.map(({ source }) => source.seconds);
  const problem = combinedSecondsProblem('videos', seconds, limits);
  if (problem !== null) throw new UnusableMaterial(problem);
  const sources = limitMemory(opened.map(({ source }) => source));
  return new Map(opened.map(({ index }, at) => [index, sources[at]!]));
}

/**
 * The video that the prompt mentions ("@Video 2", "the second clip"), or else the longest, since an
 * edit is priced by its longest source. docs/preview.md.
 */
export function editedOf(
  { generation, materials }: Pick<RenderJob, 'generation' | 'materials'>,
  videos: ReadonlyMap<number, Pick<VideoSource, 'seconds'>>,
): JobMaterial | null {
  const mentioned = mentionedMaterials(generation.prompt, materials).map((at) => materials[at]!);
  const secondsOf = ({ index }: JobMaterial): number => videos.get(index)?.seconds ?? 0;
  const [longest] = materials
    .filter(({ kind }) => kind === 'video')
    .toSorted((one, other) => secondsOf(other) - secondsOf(one));
  return mentioned.find(({ kind }) => kind === 'video') ?? longest ?? null;
}

/**
 * docs/spec.md 4.3.7 does not distinguish an extension from a reference. If the model can extend,
 * a single video without images is extended; anything else is a set of references. docs/preview.md.
 */
function extendedOf(
  { materials, limits }: RenderJob,
  videos: ReadonlyMap<number, VideoSource>,
): JobMaterial | null {
  const visible = materials.filter(({ kind }) => kind !== 'audio');
  const [only] = visible;
  if (!limits.extendsVideos || visible.length !== 1 || !only) return null;
  return only.kind === 'video' && videos.has(only.index) ? only : null;
}

/** `@Image 1`, `image #2`, `the second picture`, `图3`: a kind and a number. */
const kinds: Record<MaterialKind, string> = {
  image: 'images?|pictures?|photos?|imgs?|图片|图像|图|画像|이미지',
  video: 'videos?|clips?|视频|動画|비디오',
  audio: 'audios?|sounds?|songs?|音频|音声|오디오',
};
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const mention = new RegExp(
  Object.entries(kinds)
    .map(([kind, names]) => {
      const after = `(?:${names})\\s*(?:[#_-]\\s*)?(?<${kind}>\\d{1,2})(?!\\d)`;
      return `${after}|(?<${kind}Word>${ordinals.join('|')})\\s+(?:${names})`;
    })
    .join('|'),
  'giu',
);

export function mentionedMaterials(prompt: string, materials: readonly JobMaterial[]): number[] {
  const positions = new Set<number>();
  for (const { groups = {} } of prompt.matchAll(mention)) {
    const [name, value] = Object.entries(groups).find(([, text]) => text !== undefined)!;
    const kind = name.replace('Word', '');
    const number = Number(value) || ordinals.indexOf(value!.toLowerCase()) + 1;
    const at = materials.findIndex((one) => one.kind === kind && one.index === number - 1);
    if (at >= 0) positions.add(at);
  }
  return [...positions];
}
