/**
 * Small real videos, encoded on the spot, for tests. Every frame shows its number as black and
 * white blocks, so that a test can tell which frame of the source it sees.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { FilterAPI } from 'node-av/api';
import * as constants from 'node-av/constants';
import { Frame } from 'node-av/lib';
import type { JobMaterial } from '../render-job.ts';
import type { Size } from '../size.ts';
import { sampleRate } from '../sound/sound.ts';
import { audioTrack, type RawFrame, type TrackRecipe, writeMedia } from './media-writer.ts';

export type VideoRecipe = {
  /** The name of FFmpeg's muxer: `mp4`, `mov`, `webm`, `matroska`. */
  readonly format?: string;
  readonly codec?: 'libx264' | 'libvpx' | 'mpeg4';
  readonly size?: Size;
  readonly frames: {
    readonly ticks: readonly number[];
    readonly ticksPerSecond: number;
    /** The time of the first frame, in ticks. */
    readonly firstTick?: number;
  };
  /** The length of an audio track that clicks at the start of every second; none without it. */
  readonly clickSeconds?: number;
};

/** Bits of a frame's number, drawn in a row at the top. */
const bits = 8;

export function steady(options: {
  readonly seconds: number;
  readonly rate?: readonly [number, number];
}): VideoRecipe['frames'] {
  const [numerator, denominator] = options.rate ?? [24, 1];
  const count = Math.round((options.seconds * numerator) / denominator);
  const ticks = Array.from({ length: count }, () => denominator);
  return { ticks, ticksPerSecond: numerator };
}

export async function writeVideo(file: string, recipe: VideoRecipe): Promise<string> {
  const { format = 'mp4', codec = 'libx264', size = { width: 160, height: 90 } } = recipe;
  const { ticks, ticksPerSecond } = recipe.frames;
  const video: TrackRecipe = {
    codec,
    encoder: {
      context: { gopSize: 12, threadCount: 1 },
      options: codec === 'libx264' ? { preset: 'veryfast', crf: 10 } : { b: '2M' },
    },
    filter: FilterAPI.create(
      'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,' +
        'setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv',
      { framerate: { num: ticksPerSecond, den: Math.max(1, ticks[0] ?? 1) } },
    ),
    frames: videoFrames(size, recipe.frames),
  };
  const audioCodec = format === 'webm' ? 'libopus' : 'aac';
  const samples = clicks(recipe.clickSeconds ?? 0);
  const audio = audioTrack({ codec: audioCodec, bitRate: '96k', samples });
  const tracks = samples.length > 0 ? [video, audio] : [video];
  return await writeMedia(file, { format, tracks });
}

function* videoFrames(
  size: Size,
  { ticks, ticksPerSecond, firstTick = 0 }: VideoRecipe['frames'],
): Generator<RawFrame> {
  const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  let tick = firstTick;
  for (const [index, length] of ticks.entries()) {
    drawSample(context, { size, index });
    const bytes = Buffer.from(context.canvas.data());
    const frame = Frame.fromVideoBuffer(bytes, {
      ...size,
      format: constants.AV_PIX_FMT_RGBA,
      timeBase: { num: 1, den: ticksPerSecond },
      pts: BigInt(tick),
    });
    frame.duration = BigInt(length);
    tick += length;
    yield { frame, bytes };
  }
}

/** Hills under a sky, a moving sun, and the frame's number. */
function drawSample(
  context: SKRSContext2D,
  { size, index }: { readonly size: Size; readonly index: number },
): void {
  const { width, height } = size;
  const sky = context.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, '#2f6fb2');
  sky.addColorStop(1, '#e8c9a0');
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#fff2c4';
  context.beginPath();
  context.arc(((index * 3) % 100) * 0.01 * width, height * 0.4, height * 0.1, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = '#2e5d3a';
  context.beginPath();
  context.moveTo(0, height);
  for (let x = 0; x <= width; x += 4) {
    context.lineTo(x, height * (0.72 + 0.1 * Math.sin((x / width) * 9)));
  }
  context.lineTo(width, height);
  context.fill();
  const block = width / bits;
  for (let bit = 0; bit < bits; bit += 1) {
    context.fillStyle = (index >> bit) & 1 ? '#fff' : '#000';
    context.fillRect(bit * block, 0, block, height * 0.2);
  }
}

export function sampleFrame(options: { readonly size: Size; readonly index: number }): Buffer {
  const canvas = createCanvas(options.size.width, options.size.height);
  drawSample(canvas.getContext('2d', { alpha: false }), options);
  return Buffer.from(canvas.data());
}

export function numberIn(rgba: Uint8Array, { width, height }: Size): number {
  let number = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    const x = Math.floor(((bit + 0.5) * width) / bits);
    // Near the upper edge, where no caption is.
    const at = (Math.floor(height * 0.04) * width + x) * 4;
    if (rgba[at + 1]! > 127) number |= 1 << bit;
  }
  return number;
}

function clicks(seconds: number): Float32Array {
  const samples = new Float32Array(Math.round(seconds * sampleRate) * 2);
  for (let at = 0; at < samples.length / 2; at += 1) {
    const value = 0.8 * Math.sin(((at % sampleRate) * 2 * Math.PI * 1000) / sampleRate);
    if (at % sampleRate < 960) samples.fill(value, at * 2, at * 2 + 2);
  }
  return samples;
}

const orientations = {
  right: [0, 1, -1, 0],
  half: [-1, 0, 0, -1],
  left: [0, -1, 1, 0],
  mirrored: [-1, 0, 0, 1],
  diagonal: [0, 1, 1, 0],
} as const;
export type Orientation = keyof typeof orientations;

/** Writes a display rotation into the header of an MP4, as phones do. */
export async function rotate(file: string, orientation: Orientation): Promise<void> {
  const bytes = await readFile(file);
  const at = bytes.indexOf('tkhd', 0, 'latin1') + 44;
  const [a, b, c, d] = orientations[orientation];
  for (const [index, value] of [a, b, 0, c, d, 0].entries()) {
    bytes.writeInt32BE(value * 0x10000, at + index * 4);
  }
  await writeFile(file, bytes);
}

export function videoMaterial(index: number, file: string | null): JobMaterial {
  return { kind: 'video', index, file, title: `cdn.example.test/clip-${index}.mp4` };
}
