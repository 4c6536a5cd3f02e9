/**
 * Whether a clip is what it should be: every property that a player, a browser or an editing
 * program goes by, and how near its first and last frames are to what they must show.
 */
import { readFile } from 'node:fs/promises';
import { createCanvas, ImageData, loadImage } from '@napi-rs/canvas';
import { levelFor, levelMax } from '../encode/level.ts';
import { covering } from '../image.ts';
import { framesPerSecond, type JobMaterial } from '../render-job.ts';
import type { Size } from '../size.ts';
import { type Clip, readWhole, similarity } from '../testing/clip.ts';
import type { Rendered } from '../testing/rendered.ts';
import type { CheckCase } from './cases.ts';

/** In decibels: from here on the eye sees no difference. */
export const likenessMin = 35;
const soundSecondsOff = 0.05;

export type ClipCheck = {
  readonly clip: Clip;
  /** Likeness in decibels; null where the frame need not match anything. */
  readonly first: number | null;
  readonly last: number | null;
  /** Of the picture handed out as the last frame, to the last frame of the clip. */
  readonly lastPicture: number;
  /** What is wrong, in words; none when all is well. */
  readonly problems: readonly string[];
};

export async function judge(
  one: CheckCase,
  rendered: Rendered,
  options: { readonly materials: readonly JobMaterial[]; readonly seconds: number },
): Promise<ClipCheck> {
  const { clip, ...seen } = await readWhole(rendered.video);
  const wanted = await wantedEnds(one, options.materials);
  const first = wanted.first && similarity(seen.first, wanted.first);
  const last = wanted.last && similarity(seen.last, wanted.last);
  const lastPicture = similarity(seen.last, await pixelsIn(rendered.lastFrame));
  return {
    ...{ clip, first, last, lastPicture },
    problems: [
      ...streamProblems(clip, one.size, options.seconds),
      ...likenessProblems({ 'the first frame': first, 'the last frame': last }),
      ...likenessProblems({ 'the last-frame picture': lastPicture }),
    ],
  };
}

function streamProblems(clip: Clip, size: Size, seconds: number): string[] {
  const expected = {
    ...{ videoCodec: 'h264', profile: 100, pixelFormat: 'yuv420p', pixelShape: '1:1' },
    ...{ colorSpace: 1, colorPrimaries: 1, colorTransfer: 1, colorRange: 1 },
    ...{ width: size.width, height: size.height, framesPerSecond },
    ...{ frames: seconds * framesPerSecond, videoSeconds: seconds, seconds, startsFast: true },
  } as const;
  const { audio, level } = clip;
  const problems = Object.entries(expected)
    .filter(([name, value]) => clip[name as keyof Clip] !== value)
    .map(([name, value]) => `${name} is ${clip[name as keyof Clip]}, not ${value}`);
  const least = levelFor(size, framesPerSecond);
  if (level < least || level > levelMax) {
    problems.push(`level is ${level}, not ${least} to ${levelMax}`);
  }
  if (!audio) return [...problems, 'no sound'];
  if (audio.codec !== 'aac') problems.push(`sound is ${audio.codec}`);
  if (audio.sampleRate !== 48_000) problems.push(`sound has ${audio.sampleRate} samples a second`);
  if (audio.channels !== 2) problems.push(`sound has ${audio.channels} channels`);
  if (Math.abs(audio.seconds - seconds) > soundSecondsOff) {
    problems.push(`sound is ${audio.seconds.toFixed(3)} s long`);
  }
  if (audio.peak < 0.01 || audio.peak > 1) problems.push(`loudest sample is ${audio.peak}`);
  return problems;
}

function likenessProblems(decibels: Readonly<Record<string, number | null>>): string[] {
  return Object.entries(decibels)
    .filter(([, value]) => value !== null && value < likenessMin)
    .map(([name, value]) => `${name} is at ${value!.toFixed(1)} dB, not ${likenessMin}`);
}

type Ends = { readonly first: Buffer | null; readonly last: Buffer | null };

/** The pixels that the first and last frames must have, where something says so. */
async function wantedEnds(one: CheckCase, materials: readonly JobMaterial[]): Promise<Ends> {
  const pixels = async (at: number) => {
    const image = await loadImage(await readFile(materials[at]!.file!));
    return covering(image, one.size).data();
  };
  switch (one.mode) {
    case 'image':
      return { first: await pixels(0), last: null };
    case 'images':
      return { first: await pixels(0), last: await pixels(1) };
    case 'extension':
      return { first: await lastFrameOf(materials[0]!.file!, one.size), last: null };
    default:
      return { first: null, last: null };
  }
}

/** The last frame of a source, as a whole frame of the clip. */
async function lastFrameOf(file: string, size: Size): Promise<Buffer> {
  const { clip, last } = await readWhole(file);
  const { width, height } = clip;
  const canvas = createCanvas(width, height);
  const pixels = new ImageData(new Uint8ClampedArray(last), width, height);
  canvas.getContext('2d').putImageData(pixels, 0, 0);
  return covering(canvas, size).data();
}

async function pixelsIn(file: string): Promise<Buffer> {
  const image = await loadImage(await readFile(file));
  return covering(image, image).data();
}
