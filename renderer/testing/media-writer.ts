/** Encodes frames into the tracks of real media files with node-av, for tests. */
import { join } from 'node:path';
import { Encoder, type EncoderOptions, FilterAPI, Muxer } from 'node-av/api';
import * as constants from 'node-av/constants';
import { Frame, Log } from 'node-av/lib';
import { sampleRate } from '../sound/sound.ts';

/** The library does not copy the bytes of a frame: they must stay alive as long as it does. */
export type RawFrame = { readonly frame: Frame; readonly bytes: Buffer };

export type TrackRecipe = {
  readonly codec: string;
  readonly encoder: EncoderOptions;
  readonly filter: FilterAPI;
  readonly frames: Iterable<RawFrame>;
};

export async function writeMedia(
  file: string,
  recipe: {
    readonly format: string;
    readonly tracks: readonly TrackRecipe[];
    /** Of the muxer. */
    readonly options?: Readonly<Record<string, string | number>>;
  },
): Promise<string> {
  Log.setLevel(constants.AV_LOG_ERROR);
  const muxer = await Muxer.open(file, {
    format: recipe.format,
    options: { fflags: '+bitexact', ...recipe.options },
  });
  // All streams must be added before the first packet is written.
  const opened = [];
  for (const track of recipe.tracks) {
    const encoder = await Encoder.create(track.codec as never, track.encoder);
    opened.push({ ...track, encoder, stream: muxer.addStream(encoder) });
  }
  for (const { encoder, stream, filter, frames } of opened) {
    const encode = async (frame: Frame | null): Promise<void> => {
      for (const packet of await encoder.encodeAll(frame)) {
        await muxer.writePacket(packet, stream);
        packet.free();
      }
    };
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
  }
  await muxer.close();
  return file;
}

export function audioTrack(options: {
  readonly codec: AudioCodec;
  readonly bitRate: `${number}k`;
  readonly samples: Float32Array;
  readonly rate?: number;
}): TrackRecipe {
  const { codec, bitRate } = options;
  const [sampleFormat, frameSamples] = audioEncoders[codec];
  return {
    codec,
    encoder: { context: { bitRate } },
    filter: FilterAPI.create(
      `aformat=sample_fmts=${sampleFormat}:channel_layouts=stereo,` +
        `asetnsamples=n=${frameSamples}:p=0`,
    ),
    frames: audioFrames(options.samples, options.rate ?? sampleRate),
  };
}

function* audioFrames(samples: Float32Array, rate: number): Generator<RawFrame> {
  for (let from = 0; from < samples.length; from += sampleRate * 2) {
    const bytes = Buffer.from(samples.slice(from, from + sampleRate * 2).buffer);
    const frame = Frame.fromAudioBuffer(bytes, {
      nbSamples: bytes.length / 8,
      format: constants.AV_SAMPLE_FMT_FLT,
      sampleRate: rate,
      channelLayout: constants.AV_CHANNEL_LAYOUT_STEREO,
      timeBase: { num: 1, den: rate },
      pts: BigInt(from / 2),
    });
    yield { frame, bytes };
  }
}

/** The sample format and the samples per frame of each encoder. */
const audioEncoders = {
  aac: ['fltp', 1024],
  libmp3lame: ['fltp', 1152],
  libvorbis: ['fltp', 64],
  libopus: ['flt', 960],
  flac: ['s16', 4608],
  pcm_s16le: ['s16', 4096],
} as const;
export type AudioCodec = keyof typeof audioEncoders;

/** Muxer and encoder. */
const kinds = {
  'song.mp3': ['mp3', 'libmp3lame'],
  'song.wav': ['wav', 'pcm_s16le'],
  'song.m4a': ['ipod', 'aac'],
  'song.aac': ['adts', 'aac'],
  'song.ogg': ['ogg', 'libvorbis'],
  'song.opus': ['ogg', 'libopus'],
  'song.flac': ['flac', 'flac'],
  'video.mka': ['matroska', 'flac'],
  'video.mov': ['mov', 'pcm_s16le'],
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
  },
): Promise<string> {
  const [format, codec] = kinds[audio.name];
  const track = audioTrack({ ...audio, codec, bitRate: '192k' });
  return await writeMedia(join(folder, audio.name), { format, tracks: [track] });
}

/** A 16-bit WAV file as bytes, whose header may contradict its samples. */
export function wavOf(
  samples: Float32Array,
  header: { readonly channels?: number; readonly dataBytes?: number } = {},
): Buffer {
  const { channels = 2, dataBytes = samples.length * 2 } = header;
  const file = Buffer.alloc(44 + samples.length * 2);
  file.write('RIFF\0\0\0\0WAVEfmt ', 0, 'latin1');
  file.writeUInt32LE((36 + dataBytes) >>> 0, 4);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * channels * 2, 28);
  file.writeUInt16LE(channels * 2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);
  for (const [at, sample] of samples.entries()) {
    file.writeInt16LE(Math.round(sample * 32_767), 44 + at * 2);
  }
  return file;
}
