/** Small real audio files, encoded on the spot, for tests. */
import { join } from 'node:path';
import { sampleRate } from '../sound/sound.ts';
import { audioTrack, writeMedia } from './media-writer.ts';

/** Muxer, encoder, sample format and samples per frame. */
const kinds = {
  'song.mp3': ['mp3', 'libmp3lame', 'fltp', 1152],
  'song.wav': ['wav', 'pcm_s16le', 's16', 4096],
  'song.m4a': ['ipod', 'aac', 'fltp', 1024],
  'song.aac': ['adts', 'aac', 'fltp', 1024],
  'song.ogg': ['ogg', 'libvorbis', 'fltp', 64],
  'song.opus': ['ogg', 'libopus', 'flt', 960],
  'song.flac': ['flac', 'flac', 's16', 4608],
  'video.mka': ['matroska', 'flac', 's16', 4608],
  'video.mov': ['mov', 'pcm_s16le', 's16', 4096],
} as const;
export type AudioFileName = keyof typeof kinds;
export const audioFileNames = Object.keys(kinds) as AudioFileName[];

/** Writes interleaved stereo samples as a file of that kind, and returns its path. */
export async function writeAudioFile(
  folder: string,
  audio: {
    readonly name: AudioFileName;
    readonly samples: Float32Array;
    /** The sample rate written to the file; the samples are not converted. */
    readonly rate?: number;
    readonly options?: Readonly<Record<string, string | number>>;
  },
): Promise<string> {
  const { name, samples, rate, options } = audio;
  const [format, codec, sampleFormat, frameSamples] = kinds[name];
  return await writeMedia(join(folder, name), {
    ...{ format, ...(options && { options }) },
    tracks: [
      audioTrack({
        ...{ codec, sampleFormat, frameSamples, samples, bitRate: '192k' },
        ...(rate !== undefined && { rate }),
      }),
    ],
  });
}

/** A 16-bit WAV file as bytes, whose header may contradict its samples. */
export function wavOf(
  samples: Float32Array,
  header: { readonly rate?: number; readonly channels?: number; readonly dataBytes?: number } = {},
): Buffer {
  const { rate = sampleRate, channels = 2, dataBytes = samples.length * 2 } = header;
  const file = Buffer.alloc(44 + samples.length * 2);
  file.write('RIFF\0\0\0\0WAVEfmt ', 0, 'latin1');
  file.writeUInt32LE((36 + dataBytes) >>> 0, 4);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE((rate * channels * 2) >>> 0, 28);
  file.writeUInt16LE((channels * 2) & 0xffff, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);
  for (const [at, sample] of samples.entries()) {
    file.writeInt16LE(Math.round(sample * 32_767), 44 + at * 2);
  }
  return file;
}
