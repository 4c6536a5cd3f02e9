/**
 * What kind of clip a job asks for, and what follows from its materials: the given videos, opened,
 * which of them is edited or continued, the shape `adaptive` follows, and the length.
 */
import { openImage } from './card.ts';
import { namedIn } from './compositions/spotlight-order.ts';
import {
  framesPerSecond,
  type JobMaterial,
  type RenderJob,
  unmeasuredEditSeconds,
} from './render-job.ts';
import type { Size } from './size.ts';
import { openVideo, sharingMemory, type VideoSource } from './source/video.ts';
import { naming } from './unusable.ts';

export type Plan = {
  readonly mode: 'text' | 'images' | 'references' | 'edit' | 'extension';
  /** By their place in the request; what could not be fetched is not among them. */
  readonly videos: ReadonlyMap<number, VideoSource>;
  /** The video that is edited or continued. */
  readonly chosen: JobMaterial | null;
  /** What `adaptive` follows; null for nothing to follow. */
  readonly shape: Size | null;
  readonly frames: number;
};

/** Throws `UnusableImage` or `UnusableVideo`, naming the material, when one cannot be shown. */
export async function planOf(job: RenderJob): Promise<Plan> {
  const { generation, materials } = job;
  const none = { videos: new Map(), chosen: null, frames: framesIn(generation.duration) };
  const type = generation.generationType;
  if (type === 'text-to-video' || materials.length === 0) {
    return { ...none, mode: 'text', shape: null };
  }
  const shape = await firstImageShape(materials);
  if (type === 'image-to-video') return { ...none, mode: 'images', shape };

  const given = materials.filter(({ kind }) => kind === 'video');
  const videos = await openVideos(given);
  const isEdit = generation.duration === -1;
  const chosen = isEdit ? editedOf(job, videos) : continuedOf(job, videos);
  const source = chosen ? videos.get(chosen.index) : undefined;
  const first = given.flatMap(({ index }) => videos.get(index) ?? [])[0];
  return {
    ...{ videos, chosen },
    mode: isEdit ? 'edit' : chosen ? 'extension' : 'references',
    shape: source?.size ?? shape ?? first?.size ?? null,
    frames: framesIn(isEdit ? (source?.seconds ?? unmeasuredEditSeconds) : generation.duration),
  };
}

const framesIn = (seconds: number): number => Math.max(1, Math.round(seconds * framesPerSecond));

async function firstImageShape(materials: readonly JobMaterial[]): Promise<Size | null> {
  const first = materials.find(({ kind, file }) => kind === 'image' && file !== null);
  return first ? await openImage(first) : null;
}

async function openVideos(given: readonly JobMaterial[]): Promise<Map<number, VideoSource>> {
  const opened: { readonly index: number; readonly source: VideoSource }[] = [];
  for (const material of given) {
    const { index, file } = material;
    if (file === null) continue;
    opened.push({ index, source: await naming(material, () => openVideo(file)) });
  }
  const sources = sharingMemory(opened.map(({ source }) => source));
  return new Map(opened.map(({ index }, at) => [index, sources[at]!]));
}

/**
 * The video the words name ("@Video 2", "the second clip"), else the longest: an edit is priced by
 * its longest source, so nobody gets less than was paid for. Decision 0022.
 */
export function editedOf(
  { generation, materials }: Pick<RenderJob, 'generation' | 'materials'>,
  videos: ReadonlyMap<number, Pick<VideoSource, 'seconds'>>,
): JobMaterial | null {
  const named = namedIn(generation.prompt, materials).map((at) => materials[at]!);
  const secondsOf = ({ index }: JobMaterial): number => videos.get(index)?.seconds ?? 0;
  const [longest] = materials
    .filter(({ kind }) => kind === 'video')
    .toSorted((one, other) => secondsOf(other) - secondsOf(one));
  return named.find(({ kind }) => kind === 'video') ?? longest ?? null;
}

/**
 * Spec 4.3.7 does not tell an extension from a reference. Where the model can extend, one video
 * without an image beside it is continued; anything more is a set of references. Decision 0022.
 */
function continuedOf(
  { generation, materials }: RenderJob,
  videos: ReadonlyMap<number, VideoSource>,
): JobMaterial | null {
  const seen = materials.filter(({ kind }) => kind !== 'audio');
  const [only] = seen;
  if (generation.model !== 'vidgen-2-5' || seen.length !== 1 || !only) return null;
  return only.kind === 'video' && videos.has(only.index) ? only : null;
}
