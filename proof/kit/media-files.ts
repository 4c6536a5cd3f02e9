/**
 * Small real media for tests, encoded on demand: a gray image that gets lighter, and a quiet tone.
 * An ordinary encoder writes the bytes, so tests of lengths read real containers.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Encoder, FilterAPI, Muxer } from 'node-av/api';
import * as constants from 'node-av/constants';
import { Frame, Log } from 'node-av/lib';

export type MediaRecipe = {
  /** FFmpeg's name of the muxer: `mp4`, `mov`, `webm`, `matroska`, `mp3`, `wav`, … */
  readonly format: string;
  readonly video?: 'libx264' | 'libvpx' | 'mpeg4';
  readonly audio?: 'aac' | 'libmp3lame' | 'libvorbis' | 'libopus' | 'flac' | 'pcm_s16le';
  readonly seconds: number;
  /** The length of the audio track, where it differs from the video. */
  readonly audioSeconds?: number;
  /** Options of the muxer, such as `{ movflags: '+faststart' }`. */
  readonly options?: Readonly<Record<string, string | number>>;
};

const framesPerSecond = 10;
const sampleRate = 48_000;
const side = 64;

export async function makeMedia(recipe: MediaRecipe): Promise<Buffer> {
  Log.setLevel(constants.AV_LOG_ERROR);
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-media-'));
  try {
    const file = join(folder, 'media');
    const muxer = await Muxer.open(file, {
      format: recipe.format,
      options: { fflags: '+bitexact', ...recipe.options },
    });
    const tracks = await openTracks(muxer, recipe);
    for (const track of tracks) await track();
    await muxer.close();
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All streams must exist before the first packet is written; then each track writes itself. */
async function openTracks(muxer: Muxer, recipe: MediaRecipe): Promise<(() => Promise<void>)[]> {
  const tracks: (() => Promise<void>)[] = [];
  if (recipe.video) {
    const encoder = await Encoder.create(recipe.video as never, {
      context: { gopSize: framesPerSecond * 2 },
    });
    const filter = FilterAPI.create('format=yuv420p', {
      framerate: { num: framesPerSecond, den: 1 },
    });
    const count = Math.round(recipe.seconds * framesPerSecond);
    tracks.push(trackOf(muxer, { encoder, filter, frames: videoFrames(count) }));
  }
  if (recipe.audio) {
    const encoder = await Encoder.create(recipe.audio as never, { context: { bitRate: '64k' } });
    const [format, samples] = frames[recipe.audio];
    const filter = FilterAPI.create(
      `aformat=sample_fmts=${format}:channel_layouts=mono,asetnsamples=n=${samples}:p=0`,
    );
    const seconds = recipe.audioSeconds ?? recipe.seconds;
    tracks.push(trackOf(muxer, { encoder, filter, frames: audioFrames(seconds) }));
  }
  return tracks;
}

/** The sample format and frame size of each encoder. */
const frames = {
  aac: ['fltp', 1024],
  libmp3lame: ['fltp', 1152],
  libvorbis: ['fltp', 64],
  libopus: ['flt', 960],
  flac: ['s16', 4608],
  pcm_s16le: ['s16', 4096],
} as const;

type Track = {
  readonly encoder: Encoder;
  readonly filter: FilterAPI;
  readonly frames: Generator<Frame>;
};

function trackOf(muxer: Muxer, { encoder, filter, frames }: Track): () => Promise<void> {
  const stream = muxer.addStream(encoder);
  const encode = async (filtered: readonly Frame[] | null) => {
    const packets = filtered === null ? await encoder.encodeAll(null) : [];
    for (const frame of filtered ?? []) {
      packets.push(...(await encoder.encodeAll(frame)));
      frame.free();
    }
    for (const packet of packets) {
      await muxer.writePacket(packet, stream);
      packet.free();
    }
  };
  return async () => {
    for (const frame of frames) {
      await encode(await filter.processAll(frame));
      frame.free();
    }
    await encode(await filter.processAll(null));
    await encode(null);
  };
}

function* videoFrames(count: number): Generator<Frame> {
  for (let at = 0; at < count; at += 1) {
    const frame = Frame.fromVideoBuffer(Buffer.alloc(side * side * 4, at % 256), {
      width: side,
      height: side,
      format: constants.AV_PIX_FMT_RGBA,
      timeBase: { num: 1, den: framesPerSecond },
      pts: BigInt(at),
    });
    frame.duration = 1n;
    yield frame;
  }
}

function* audioFrames(seconds: number): Generator<Frame> {
  const samples = Math.round(seconds * sampleRate);
  for (let from = 0; from < samples; from += sampleRate) {
    const length = Math.min(sampleRate, samples - from);
    const tone = Float32Array.from({ length }, (_, at) => 0.1 * Math.sin((from + at) / 20));
    yield Frame.fromAudioBuffer(Buffer.from(tone.buffer), {
      nbSamples: length,
      format: constants.AV_SAMPLE_FMT_FLT,
      sampleRate,
      channelLayout: constants.AV_CHANNEL_LAYOUT_MONO,
      timeBase: { num: 1, den: sampleRate },
      pts: BigInt(from),
    });
  }
}
