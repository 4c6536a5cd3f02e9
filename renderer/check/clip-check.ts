/**
 * Renders the clip of a case in its own process and checks it: every stream property that players
 * rely on, and the similarity of its first and last frames to what they must show.
 */
import { readFile } from 'node:fs/promises';
import { createCanvas, ImageData, loadImage } from '@napi-rs/canvas';
import { readCleanBox } from '../clean/clean-box.ts';
import { levelFor, levelMax } from '../encode/level.ts';
import { covering } from '../image.ts';
import { framesPerSecond, type JobMaterial } from '../render-job.ts';
import type { Size } from '../size.ts';
import { type Clip, readWhole, similarity } from '../testing/clip.ts';
import { type Rendered, renderIn, type Scratch } from '../testing/rendered.ts';
import { type CheckCase, clipKinds } from './cases.ts';
import type { CheckMaterials } from './materials.ts';

/** PSNR in decibels from which a frame counts as the same. */
export const similarityMin = 35;
const audioSecondsOff = 0.05;

export type ClipCheck = {
  readonly clip: Clip;
  /** PSNR in decibels; null where the frame need not match anything. */
  readonly first: number | null;
  readonly last: number | null;
  /** Of the returned last-frame image to the last frame of the clip. */
  readonly lastImage: number;
  readonly problems: readonly string[];
};

export async function checkCase(
  one: CheckCase,
  options: {
    readonly name: string;
    readonly scratch: Scratch;
    readonly materials: CheckMaterials;
    readonly seconds: number;
  },
): Promise<ClipCheck> {
  const { model, resolution, aspectRatio, kind, given } = one;
  const { seconds } = options;
  const { generationType, prompt } = clipKinds[kind];
  const materials = await options.materials.of(clipKinds[kind].materials, given);
  const urls = (wanted: string): string[] =>
    materials.filter((each) => each.kind === wanted).map(({ title }) => `https://${title}`);
  const rendered = await renderIn(options.scratch, {
    name: options.name,
    generation: {
      ...{ generationType, prompt, model, resolution, aspectRatio },
      duration: kind === 'edit' ? -1 : seconds,
      ...{ imageUrls: urls('image'), videoUrls: urls('video'), audioUrls: urls('audio') },
      ...{ generateAudio: true, returnLastFrame: true },
    },
    materials,
  });
  const end = rendered.reports.at(-1);
  if (!end || !('done' in end)) throw new Error(`not rendered: ${JSON.stringify(end)}`);
  const result = await verify(one, rendered, { materials, seconds });
  if (end.seconds === seconds) return result;
  return { ...result, problems: [...result.problems, `reported as ${end.seconds} s long`] };
}

/** Makes the pixels below the overlays of the last frame equal: the saved image has none. */
async function overlayClearer(video: string): Promise<(pixels: Buffer) => Buffer> {
  const segment = (await readCleanBox(video)).at(-1);
  const regions = segment?.regions.filter(({ untilFrame }) => untilFrame >= segment.frames) ?? [];
  return (pixels) => {
    const cleared = Buffer.from(pixels);
    for (const { x, y, width, height } of regions) {
      for (let row = y; row < y + height; row += 1) {
        const from = (row * segment!.size.width + x) * 4;
        cleared.fill(0, from, from + width * 4);
      }
    }
    return cleared;
  };
}

export async function verify(
  one: CheckCase,
  rendered: Rendered,
  options: { readonly materials: readonly JobMaterial[]; readonly seconds: number },
): Promise<ClipCheck> {
  const { clip, ...frames } = await readWhole(rendered.video);
  const expected = await expectedFrames(one, options.materials);
  const first = expected.first && similarity(frames.first, expected.first);
  const last = expected.last && similarity(frames.last, expected.last);
  const image = await loadImage(await readFile(rendered.lastFrame));
  const clear = await overlayClearer(rendered.video);
  const lastImage = similarity(clear(frames.last), clear(covering(image, image).data()));
  const values = { 'the first frame': first, 'the last frame': last, 'the last image': lastImage };
  const unlike = Object.entries(values)
    .filter(([, value]) => value !== null && value < similarityMin)
    .map(([name, value]) => `${name} is at ${value!.toFixed(1)} dB, not ${similarityMin}`);
  const problems = [...streamProblems(clip, one.size, options.seconds), ...unlike];
  return { clip, first, last, lastImage, problems };
}

function streamProblems(clip: Clip, size: Size, seconds: number): string[] {
  const expected = {
    ...{ videoCodec: 'h264', profile: 100, pixelFormat: 'yuv420p', pixelAspect: '1:1' },
    ...{ colorSpace: 1, colorPrimaries: 1, colorTransfer: 1, colorRange: 1 },
    ...{ width: size.width, height: size.height, framesPerSecond },
    ...{ frames: seconds * framesPerSecond, videoSeconds: seconds, seconds, isFastStart: true },
  } as const;
  const { audio, level } = clip;
  const problems = Object.entries(expected)
    .filter(([name, value]) => clip[name as keyof Clip] !== value)
    .map(([name, value]) => `${name} is ${clip[name as keyof Clip]}, not ${value}`);
  const least = levelFor(size, framesPerSecond);
  if (level < least || level > levelMax) {
    problems.push(`level is ${level}, not ${least} to ${levelMax}`);
  }
  if (!audio) return [...problems, 'no audio'];
  const format = `${audio.codec}, ${audio.sampleRate} Hz, ${audio.channels} channels`;
  if (format !== 'aac, 48000 Hz, 2 channels') problems.push(`audio is ${format}`);
  if (Math.abs(audio.seconds - seconds) > audioSecondsOff) {
    problems.push(`audio is ${audio.seconds.toFixed(3)} s long`);
  }
  if (audio.peak < 0.01 || audio.peak > 1) problems.push(`largest sample is ${audio.peak}`);
  return problems;
}

/** The pixels that the first and last frames must show; null where any frame is fine. */
async function expectedFrames(
  { kind, size }: CheckCase,
  materials: readonly JobMaterial[],
): Promise<{ readonly first: Buffer | null; readonly last: Buffer | null }> {
  const imagePixels = async (at: number): Promise<Buffer> =>
    covering(await loadImage(await readFile(materials[at]!.file!)), size).data();
  if (kind === 'image') return { first: await imagePixels(0), last: null };
  if (kind === 'images') return { first: await imagePixels(0), last: await imagePixels(1) };
  if (kind !== 'extension') return { first: null, last: null };
  const { clip, last } = await readWhole(materials[0]!.file!);
  const canvas = createCanvas(clip.width, clip.height);
  const pixels = new ImageData(new Uint8ClampedArray(last), clip.width, clip.height);
  canvas.getContext('2d').putImageData(pixels, 0, 0);
  return { first: covering(canvas, size).data(), last: null };
}
