/**
 * Small real videos for tests, encoded on the spot. Every frame shows its own number in blocks of
 * black and white, so that a test can tell which frame of the source it is looking at.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { Encoder, FilterAPI, Muxer } from 'node-av/api';
import * as constants from 'node-av/constants';
import { Frame, Log } from 'node-av/lib';
import type { JobMaterial } from '../render-job.ts';
import type { Size } from '../size.ts';

export type VideoRecipe = {
  /** As FFmpeg names its muxers: `mp4`, `mov`, `webm`, `matroska`. */
  readonly format?: string;
  readonly codec?: 'libx264' | 'libvpx' | 'mpeg4';
  readonly size?: Size;
  /** How long each frame is shown, in ticks; `ticksPerSecond` of them are a second. */
  readonly frames: { readonly ticks: readonly number[]; readonly ticksPerSecond: number };
  /** A click at the start of every second, for this long. */
  readonly clickSeconds?: number;
  readonly options?: Readonly<Record<string, string | number>>;
};

const sampleRate = 48_000;
/** Bits of a frame's number, in a row at the top. */
const bits = 8;

/** As many frames as come to the given time at a steady rate. */
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
  Log.setLevel(constants.AV_LOG_ERROR);
  const size = recipe.size ?? { width: 160, height: 90 };
  const muxer = await Muxer.open(file, {
    format: recipe.format ?? 'mp4',
    options: { fflags: '+bitexact', ...recipe.options },
  });
  const { ticks, ticksPerSecond } = recipe.frames;
  const codec = recipe.codec ?? 'libx264';
  const encoder = await Encoder.create(codec as never, {
    context: { gopSize: 12, threadCount: 1 },
    options: codec === 'libx264' ? { preset: 'veryfast', crf: 10 } : { b: '2M' },
  });
  const toVideo = FilterAPI.create(
    'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,' +
      'setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv',
    { framerate: { num: ticksPerSecond, den: Math.max(1, ticks[0] ?? 1) } },
  );
  const tracks = [trackOf(muxer, { encoder, filter: toVideo })];
  const frames = [pictures(size, recipe.frames)];
  if (recipe.clickSeconds !== undefined) {
    const isWebm = recipe.format === 'webm';
    const sound = await Encoder.create((isWebm ? 'libopus' : 'aac') as never, {
      context: { bitRate: '96k' },
    });
    const filter = FilterAPI.create(
      isWebm
        ? 'aformat=sample_fmts=flt:channel_layouts=stereo,asetnsamples=n=960:p=0'
        : 'aformat=sample_fmts=fltp:channel_layouts=stereo,asetnsamples=n=1024:p=0',
    );
    tracks.push(trackOf(muxer, { encoder: sound, filter }));
    frames.push(clicks(recipe.clickSeconds));
  }
  for (const [index, track] of tracks.entries()) await track(frames[index]!);
  await muxer.close();
  return file;
}

type Track = { readonly encoder: Encoder; readonly filter: FilterAPI };

/** Streams must all be known before the first packet is written. */
function trackOf(muxer: Muxer, { encoder, filter }: Track) {
  const stream = muxer.addStream(encoder);
  const encode = async (frame: Frame | null): Promise<void> => {
    for (const packet of await encoder.encodeAll(frame)) {
      await muxer.writePacket(packet, stream);
      packet.free();
    }
  };
  return async (frames: Iterable<{ frame: Frame; bytes: Buffer }>): Promise<void> => {
    // The bytes of a frame must outlive it: the library does not copy them.
    for (const { frame, bytes } of frames) {
      for (const filtered of await filter.processAll(frame)) {
        await encode(filtered);
        filtered.free();
      }
      frame.free();
      bytes.fill(0);
    }
    for (const filtered of await filter.processAll(null)) await encode(filtered);
    await encode(null);
  };
}

function* pictures(size: Size, { ticks, ticksPerSecond }: VideoRecipe['frames']) {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  let tick = 0;
  for (const [index, length] of ticks.entries()) {
    drawSample(context, { size, index });
    const bytes = Buffer.from(canvas.data());
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

/** Hills under a sky, a sun that moves, and the number. */
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

/** The pixels of a frame as they were before encoding. */
export function sampleFrame(options: { readonly size: Size; readonly index: number }): Buffer {
  const canvas = createCanvas(options.size.width, options.size.height);
  drawSample(canvas.getContext('2d', { alpha: false }), options);
  return Buffer.from(canvas.data());
}

/** The number a frame shows, from its RGBA pixels at any size. */
export function numberIn(rgba: Uint8Array, { width, height }: Size): number {
  let number = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    const x = Math.floor(((bit + 0.5) * width) / bits);
    // Near the edge, where no words are.
    const at = (Math.floor(height * 0.04) * width + x) * 4;
    if (rgba[at + 1]! > 127) number |= 1 << bit;
  }
  return number;
}

function* clicks(seconds: number) {
  const total = Math.round(seconds * sampleRate);
  for (let from = 0; from < total; from += sampleRate) {
    const length = Math.min(sampleRate, total - from);
    const samples = new Float32Array(length * 2);
    for (let at = 0; at < Math.min(length, 960); at += 1) {
      const value = 0.8 * Math.sin((at * 2 * Math.PI * 1000) / sampleRate);
      samples.fill(value, at * 2, at * 2 + 2);
    }
    const bytes = Buffer.from(samples.buffer);
    const frame = Frame.fromAudioBuffer(bytes, {
      nbSamples: length,
      format: constants.AV_SAMPLE_FMT_FLT,
      sampleRate,
      channelLayout: constants.AV_CHANNEL_LAYOUT_STEREO,
      timeBase: { num: 1, den: sampleRate },
      pts: BigInt(from),
    });
    yield { frame, bytes };
  }
}

const orientations = {
  right: [0, 1, -1, 0],
  over: [-1, 0, 0, -1],
  left: [0, -1, 1, 0],
  mirrored: [-1, 0, 0, 1],
  diagonal: [0, 1, 1, 0],
} as const;
export type Orientation = keyof typeof orientations;

/** How its pictures are to be turned, written into the header of an MP4 as phones do. */
export async function turn(file: string, orientation: Orientation): Promise<void> {
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
