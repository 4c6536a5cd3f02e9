/**
 * Small real media for tests, encoded on demand: a gray image that gets lighter, and a quiet tone.
 * An ordinary encoder writes the bytes, so tests of lengths read real containers.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FilterAPI } from 'node-av/api';
import * as constants from 'node-av/constants';
import { Frame } from 'node-av/lib';
import { sampleRate } from '../../renderer/sound/sound.ts';
import {
  type AudioCodec,
  audioTrack,
  type RawFrame,
  type TrackRecipe,
  writeMedia,
} from '../../renderer/testing/media-writer.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type MediaRecipe = {
  /** FFmpeg's name of the muxer: `mp4`, `mov`, `webm`, `matroska`, `mp3`, `wav`, … */
  readonly format: string;
  readonly video?: 'libx264' | 'libvpx' | 'mpeg4';
  readonly audio?: AudioCodec;
  readonly seconds: number;
  /** The length of the audio track, where it differs from the video. */
  readonly audioSeconds?: number;
  /** Options of the muxer, such as `{ movflags: '+faststart' }`. */
  readonly options?: Readonly<Record<string, string | number>>;
};

const framesPerSecond = 10;
const side = 64;

export async function makeMedia(recipe: MediaRecipe): Promise<Buffer> {
  const { format, video, audio, seconds, audioSeconds = seconds, options = {} } = recipe;
  const folder = makeTemporaryFolder('media');
  try {
    const tracks = [
      ...(video ? [videoTrack(video, seconds)] : []),
      ...(audio ? [toneTrack(audio, audioSeconds)] : []),
    ];
    return await readFile(await writeMedia(join(folder, 'media'), { format, tracks, options }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const videoTrack = (codec: string, seconds: number): TrackRecipe => ({
  codec,
  encoder: { context: { gopSize: framesPerSecond * 2 } },
  filter: FilterAPI.create('format=yuv420p', { framerate: { num: framesPerSecond, den: 1 } }),
  frames: videoFrames(Math.round(seconds * framesPerSecond)),
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

function toneTrack(codec: AudioCodec, seconds: number): TrackRecipe {
  const length = Math.round(seconds * sampleRate) * 2;
  const samples = Float32Array.from({ length }, (_, at) => 0.1 * Math.sin((at >> 1) / 20));
  return audioTrack({ codec, bitRate: '64k', samples });
}
