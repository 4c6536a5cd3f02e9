/**
 * Small real media for tests, encoded on demand: a gray image that gets lighter, and a quiet tone.
 * An ordinary encoder writes the bytes, so tests of lengths read real containers.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilterAPI } from 'node-av/api';
import * as constants from 'node-av/constants';
import { Frame } from 'node-av/lib';
import { sampleRate } from '../../renderer/sound/sound.ts';
import { audioTrack, type RawFrame, writeMedia } from '../../renderer/testing/media-writer.ts';

export type MediaRecipe = {
  /** FFmpeg's name of the muxer: `mp4`, `mov`, `webm`, `matroska`, `mp3`, `wav`, … */
  readonly format: string;
  readonly video?: 'libx264' | 'libvpx' | 'mpeg4';
  readonly audio?: keyof typeof audioFormats;
  readonly seconds: number;
  /** The length of the audio track, where it differs from the video. */
  readonly audioSeconds?: number;
  /** Options of the muxer, such as `{ movflags: '+faststart' }`. */
  readonly options?: Readonly<Record<string, string | number>>;
};

const framesPerSecond = 10;
const side = 64;

/** The sample format and frame size of each encoder. */
const audioFormats = {
  aac: { sampleFormat: 'fltp', frameSamples: 1024 },
  libmp3lame: { sampleFormat: 'fltp', frameSamples: 1152 },
  libvorbis: { sampleFormat: 'fltp', frameSamples: 64 },
  libopus: { sampleFormat: 'flt', frameSamples: 960 },
  flac: { sampleFormat: 's16', frameSamples: 4608 },
  pcm_s16le: { sampleFormat: 's16', frameSamples: 4096 },
} as const;

export async function makeMedia(recipe: MediaRecipe): Promise<Buffer> {
  const { format, video, audio, seconds, audioSeconds = seconds, options = {} } = recipe;
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-media-'));
  try {
    const file = await writeMedia(join(folder, 'media'), {
      format,
      options,
      tracks: [
        ...(video ? [videoTrack(video, Math.round(seconds * framesPerSecond))] : []),
        ...(audio
          ? [
              audioTrack({
                codec: audio,
                bitRate: '64k',
                samples: toneOf(audioSeconds),
                ...audioFormats[audio],
              }),
            ]
          : []),
      ],
    });
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const videoTrack = (codec: string, frames: number) => ({
  codec,
  encoder: { context: { gopSize: framesPerSecond * 2 } },
  filter: FilterAPI.create('format=yuv420p', { framerate: { num: framesPerSecond, den: 1 } }),
  frames: videoFrames(frames),
});

function* videoFrames(count: number): Generator<RawFrame> {
  for (let at = 0; at < count; at += 1) {
    const bytes = Buffer.alloc(side * side * 4, at % 256);
    const frame = Frame.fromVideoBuffer(bytes, {
      width: side,
      height: side,
      format: constants.AV_PIX_FMT_RGBA,
      timeBase: { num: 1, den: framesPerSecond },
      pts: BigInt(at),
    });
    frame.duration = 1n;
    yield { frame, bytes };
  }
}

/** A quiet tone on both channels. */
const toneOf = (seconds: number): Float32Array =>
  Float32Array.from(
    { length: Math.round(seconds * sampleRate) * 2 },
    (_, at) => 0.1 * Math.sin((at >> 1) / 20),
  );
