/** Reads the streams and frames of a finished MP4, for tests. */
import { createHash } from 'node:crypto';
import { Decoder, Demuxer, FilterAPI } from 'node-av/api';
import { AV_LOG_ERROR } from 'node-av/constants';
import { avGetCodecName, avGetPixFmtName, type Frame, Log } from 'node-av/lib';
import { boxesOf } from '../encode/encoder.ts';
import type { Size } from '../size.ts';

// Keeps FFmpeg's warnings out of the test output.
Log.setLevel(AV_LOG_ERROR);

type Clip = Awaited<ReturnType<typeof readWhole>>['clip'];

export const readClip = async (file: string): Promise<Clip> => (await readWhole(file)).clip;

/** With the RGBA pixels of the first and the last frame. */
export async function readWhole(file: string) {
  await using source = await Demuxer.open(file);
  const video = source.video();
  if (!video) throw new Error('no video stream');
  const hash = createHash('sha256');
  let first: Frame | null = null;
  let last: Frame | null = null;
  let frames = 0;
  for await (const frame of decoded(file)) {
    hash.update(frame.toBuffer());
    frames += 1;
    if (last !== first) last?.free();
    last = frame.clone();
    first ??= last;
  }
  if (!first || !last) throw new Error('no frames');
  const { codecpar, avgFrameRate, timeBase, duration } = video;
  const { names } = await boxesOf(file);
  const { num, den } = codecpar.sampleAspectRatio;
  const clip = {
    width: codecpar.width,
    height: codecpar.height,
    videoCodec: avGetCodecName(codecpar.codecId) ?? '',
    /** 100 is High, 578 is constrained baseline. */
    profile: codecpar.profile,
    pixelFormat: avGetPixFmtName(codecpar.format as never) ?? '',
    pixelAspect: `${num}:${den}`,
    // 1 is bt709, and limited range.
    colorSpace: codecpar.colorSpace,
    colorPrimaries: codecpar.colorPrimaries,
    colorTransfer: codecpar.colorTrc,
    colorRange: codecpar.colorRange,
    framesPerSecond: avgFrameRate.num / avgFrameRate.den,
    frames,
    videoSeconds: (Number(duration) * timeBase.num) / timeBase.den,
    seconds: source.duration,
    isFastStart: names.indexOf('moov') < names.indexOf('mdat'),
    audio: await readAudio(source),
    framesHash: hash.digest('hex'),
  };
  return { clip, first: await toPixels(first), last: await toPixels(last) };
}

/** `peak` is the largest absolute sample. */
async function readAudio(source: Demuxer) {
  const audio = source.audio();
  if (!audio) return null;
  using decoder = await Decoder.create(audio);
  using filter = FilterAPI.create('aformat=sample_fmts=flt');
  let peak = 0;
  for await (const frame of filter.frames(decoder.frames(source.packets(audio.index)))) {
    if (!frame) break;
    const bytes = frame.toBuffer();
    for (let at = 0; at + 4 <= bytes.length; at += 4) {
      peak = Math.max(peak, Math.abs(bytes.readFloatLE(at)));
    }
    frame.free();
  }
  return {
    codec: avGetCodecName(audio.codecpar.codecId) ?? '',
    sampleRate: audio.codecpar.sampleRate,
    channels: audio.codecpar.channels,
    seconds: (Number(audio.duration) * audio.timeBase.num) / audio.timeBase.den,
    peak,
  };
}

/** The RGBA pixels of every frame, optionally scaled. */
export async function* framesOf(file: string, scaled?: Size): AsyncGenerator<Buffer> {
  for await (const frame of decoded(file)) yield await toPixels(frame, scaled);
}

/** Each frame is valid until the next one is requested. */
async function* decoded(file: string): AsyncGenerator<Frame> {
  await using source = await Demuxer.open(file);
  const video = source.video();
  if (!video) throw new Error('no video stream');
  using decoder = await Decoder.create(video);
  for await (const frame of decoder.frames(source.packets(video.index))) {
    if (!frame) return;
    yield frame;
    frame.free();
  }
}

/** Interpolates chroma, as players do. */
const toRgba = 'flags=bicubic+full_chroma_int+accurate_rnd,format=rgba';

async function toPixels(frame: Frame, scaled?: Size): Promise<Buffer> {
  const scale = scaled ? `scale=${scaled.width}:${scaled.height}:flags=area,` : '';
  using filter = FilterAPI.create(`${scale}scale=${toRgba}`);
  const shown = await filter.processAll(frame);
  shown.push(...(await filter.processAll(null)));
  const pixels = shown[0]!.toBuffer();
  for (const each of shown) each.free();
  return pixels;
}

/** The PSNR of two frames in decibels; 40 is visually identical. 0 if the sizes differ. */
export function similarity(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at += 4) {
    for (let channel = 0; channel < 3; channel += 1) {
      sum += (one[at + channel]! - other[at + channel]!) ** 2;
    }
  }
  return 10 * Math.log10(255 ** 2 / (sum / ((one.length / 4) * 3) || 1e-9));
}
