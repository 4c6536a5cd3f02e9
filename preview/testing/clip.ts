/** Reads a finished MP4 back, for tests: what its streams are, and what its frames show. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Decoder, Demuxer, FilterAPI } from 'node-av/api';
import { avGetCodecName, avGetPixFmtName } from 'node-av/lib';

export type Clip = {
  readonly width: number;
  readonly height: number;
  readonly videoCodec: string;
  readonly profile: number;
  readonly pixelFormat: string;
  readonly colourSpace: number;
  readonly colourRange: number;
  readonly framesPerSecond: number;
  readonly frames: number;
  readonly videoSeconds: number;
  readonly audio: null | {
    readonly codec: string;
    readonly sampleRate: number;
    readonly channels: number;
    readonly seconds: number;
    /** Loudest sample, from 0 to 1. */
    readonly peak: number;
  };
  /** Of all decoded pixels in order: equal when the pictures are. */
  readonly framesHash: string;
};

export async function readClip(file: string): Promise<Clip> {
  await using source = await Demuxer.open(file);
  const video = source.video();
  if (!video) throw new Error('no video stream');
  const hash = createHash('sha256');
  let frames = 0;
  for await (const frame of framesOf(file)) {
    hash.update(frame);
    frames += 1;
  }
  const { codecpar, avgFrameRate, timeBase, duration } = video;
  return {
    width: codecpar.width,
    height: codecpar.height,
    videoCodec: avGetCodecName(codecpar.codecId) ?? '',
    profile: codecpar.profile,
    pixelFormat: avGetPixFmtName(codecpar.format as never) ?? '',
    colourSpace: codecpar.colorSpace,
    colourRange: codecpar.colorRange,
    framesPerSecond: avgFrameRate.num / avgFrameRate.den,
    frames,
    videoSeconds: (Number(duration) * timeBase.num) / timeBase.den,
    audio: await readAudio(source),
    framesHash: hash.digest('hex'),
  };
}

async function readAudio(source: Demuxer): Promise<Clip['audio']> {
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

/** Every frame as RGBA pixels, at the clip's own size or scaled to the one given. */
export async function* framesOf(
  file: string,
  scaled?: { readonly width: number; readonly height: number },
): AsyncGenerator<Buffer> {
  await using source = await Demuxer.open(file);
  const video = source.video();
  if (!video) throw new Error('no video stream');
  using decoder = await Decoder.create(video);
  const scale = scaled ? `scale=${scaled.width}:${scaled.height}:flags=area,` : '';
  using filter = FilterAPI.create(`${scale}format=rgba`);
  for await (const frame of filter.frames(decoder.frames(source.packets(video.index)))) {
    if (!frame) break;
    yield frame.toBuffer();
    frame.free();
  }
}

/** The names of the file's top boxes: `moov` before `mdat` lets a player start at once. */
export async function boxesOf(file: string): Promise<string[]> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const names: string[] = [];
  for (let at = 0; at < size; ) {
    const head = Buffer.alloc(16);
    await handle.read(head, 0, 16, at);
    names.push(head.toString('latin1', 4, 8));
    const length = head.readUInt32BE(0);
    at += length === 1 ? Number(head.readBigUInt64BE(8)) : length || size;
  }
  return names;
}

/** Likeness of two pictures of one size in decibels; 40 is the same to the eye. */
export function likeness(one: Buffer, other: Buffer): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 4) {
    for (let channel = 0; channel < 3; channel += 1) {
      sum += (one[at + channel]! - other[at + channel]!) ** 2;
    }
  }
  return 10 * Math.log10(255 ** 2 / (sum / ((one.length / 4) * 3) || 1e-9));
}
