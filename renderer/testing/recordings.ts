/**
 * Small real recordings for tests, encoded on the spot, and files that only pretend to be some:
 * cut off, lying about their length or shape, of another kind altogether.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Encoder, FilterAPI, Muxer } from 'node-av/api';
import * as constants from 'node-av/constants';
import { Frame, Log } from 'node-av/lib';
import { sampleRate } from '../sound/sound.ts';

/** Muxer, encoder, and what that takes: the format of samples and how many at a time. */
const kinds = {
  'song.mp3': ['mp3', 'libmp3lame', 'fltp', 1152],
  'song.wav': ['wav', 'pcm_s16le', 's16', 4096],
  'song.m4a': ['ipod', 'aac', 'fltp', 1024],
  'song.aac': ['adts', 'aac', 'fltp', 1024],
  'song.ogg': ['ogg', 'libvorbis', 'fltp', 64],
  'song.opus': ['ogg', 'libopus', 'flt', 960],
  'song.flac': ['flac', 'flac', 's16', 4608],
  'film.mka': ['matroska', 'flac', 's16', 4608],
  'film.mov': ['mov', 'pcm_s16le', 's16', 4096],
} as const;
export type RecordingName = keyof typeof kinds;
export const recordingNames = Object.keys(kinds) as RecordingName[];

/** Writes interleaved stereo samples as a file of that kind, and returns its path. */
export async function writeRecording(
  folder: string,
  recording: {
    readonly name: RecordingName;
    readonly samples: Float32Array;
    /** Of the file; the samples are taken as being at that rate. */
    readonly rate?: number;
    readonly options?: Readonly<Record<string, string | number>>;
  },
): Promise<string> {
  Log.setLevel(constants.AV_LOG_ERROR);
  const { name, samples, rate = sampleRate } = recording;
  const [format, codec, sampleFormat, frameSamples] = kinds[name];
  const file = join(folder, name);
  const muxer = await Muxer.open(file, {
    format,
    options: { fflags: '+bitexact', ...recording.options },
  });
  const encoder = await Encoder.create(codec as never, { context: { bitRate: '192k' } });
  const filter = FilterAPI.create(
    `aformat=sample_fmts=${sampleFormat}:channel_layouts=stereo,asetnsamples=n=${frameSamples}:p=0`,
  );
  const stream = muxer.addStream(encoder);
  const write = async (frame: Frame | null): Promise<void> => {
    for (const packet of await encoder.encodeAll(frame)) {
      await muxer.writePacket(packet, stream);
      packet.free();
    }
  };
  for (let from = 0; from < samples.length; from += sampleRate * 2) {
    // The bytes of a frame must outlive it: the library does not copy them.
    const bytes = Buffer.from(samples.slice(from, from + sampleRate * 2).buffer);
    const frame = Frame.fromAudioBuffer(bytes, {
      nbSamples: bytes.length / 8,
      format: constants.AV_SAMPLE_FMT_FLT,
      sampleRate: rate,
      channelLayout: constants.AV_CHANNEL_LAYOUT_STEREO,
      timeBase: { num: 1, den: rate },
      pts: BigInt(from / 2),
    });
    for (const filtered of await filter.processAll(frame)) {
      await write(filtered);
      filtered.free();
    }
    frame.free();
    bytes.fill(0);
  }
  for (const filtered of await filter.processAll(null)) await write(filtered);
  await write(null);
  await muxer.close();
  return file;
}

/** A WAV file as bytes, whose header may say what it likes. */
export function wavOf(
  samples: Float32Array,
  lie: { readonly rate?: number; readonly channels?: number; readonly dataBytes?: number } = {},
): Buffer {
  const { rate = sampleRate, channels = 2, dataBytes = samples.length * 2 } = lie;
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

export type OddRecording = {
  readonly name: string;
  readonly file: string;
  /** What is said of it; a number is the length in seconds of one that is heard all the same. */
  readonly verdict: RegExp | number;
};

const isOther = /^not an MP3, WAV, M4A, AAC, OGG or FLAC recording, and no video$/;
const isUnreadable = /cannot be|no recording|broken|too long/;
const isCutOff = /^it breaks off: \d+\.\d s of the \d+\.\d s it says it has$/;

/** Each is made of the same two seconds of sound. */
export async function writeOddRecordings(
  folder: string,
  samples: Float32Array,
): Promise<OddRecording[]> {
  const made = async (name: RecordingName): Promise<Buffer> =>
    await readFile(await writeRecording(folder, { name, samples, options: optionsOf(name) }));
  const [mp3, m4a, flac, ogg] = [
    await made('song.mp3'),
    await made('song.m4a'),
    await made('song.flac'),
    await made('song.ogg'),
  ];
  const wav = wavOf(samples);
  const rows: readonly (readonly [string, Buffer | string, RegExp | number])[] = [
    ['nothing.mp3', '', isOther],
    ['page.mp3', '<!doctype html><title>Sign in</title>', isOther],
    ['playlist.mp3', '#EXTM3U\n#EXTINF:5,\nfile:///etc/passwd\n', isOther],
    ['list.wav', "ffconcat version 1.0\nfile '/etc/passwd'\n", isOther],
    ['noise.wav', noiseOf(50_000), isOther],
    [
      'noise-like-mp3.mp3',
      Buffer.concat([Buffer.of(0xff, 0xfb, 0x90), noiseOf(9_000)]),
      isUnreadable,
    ],
    [
      'only-a-tag.mp3',
      Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\x0a'), Buffer.alloc(10)]),
      isUnreadable,
    ],
    ['only-a-type.m4a', Buffer.from('\0\0\0\x10ftypM4A \0\0\0\0', 'latin1'), isUnreadable],
    ['only-a-page.ogg', ogg.subarray(0, 58), isUnreadable],
    ['only-a-header.flac', flac.subarray(0, 42), isUnreadable],
    ['rate-1.wav', wavOf(samples, { rate: 1 }), /^a sound of 1 samples a second/],
    ['rate-4-billion.wav', wavOf(samples, { rate: 0xffff_fff0 }), /samples a second|no recording/],
    ['channels-0.wav', wavOf(samples, { channels: 0 }), isUnreadable],
    ['channels-9.wav', wavOf(samples, { channels: 9 }), /^a sound of 9 channels/],
    ['channels-65535.wav', wavOf(samples, { channels: 0xffff }), isUnreadable],
    ['an-hour-in-the-header.wav', wavOf(samples, { dataBytes: 691_200_000 }), 2],
    ['endless-in-the-header.wav', wavOf(samples, { dataBytes: 0xffff_ffff }), 2],
    ['cut.m4a', m4a.subarray(0, Math.round(m4a.length * 0.55)), isCutOff],
    ['cut-in-its-index.m4a', m4a.subarray(0, m4a.indexOf('stbl')), isUnreadable],
    ['cut.flac', flac.subarray(0, flac.length >> 1), isCutOff],
    // These tell no length that could be trusted: what there is, is heard.
    ['cut.wav', wav.subarray(0, wav.length >> 1), 1],
    ['cut.mp3', mp3.subarray(0, mp3.length >> 1), 1],
    ['media-are-noise.mp3', noisy(mp3, mp3.length >> 1), 1],
    ['media-are-noise.m4a', noisy(m4a, m4a.indexOf('mdat') + 4), isUnreadable],
    ['hours-between-samples.m4a', longSteps(m4a), 30],
  ];
  return await Promise.all(
    rows.map(async ([name, bytes, verdict]) => {
      const file = join(folder, `odd-${name}`);
      await writeFile(file, bytes);
      return { name, file, verdict };
    }),
  );
}

/** The index in front, so that what is cut off are the media. */
const optionsOf = (name: RecordingName): Record<string, string> =>
  name === 'song.m4a' ? { movflags: '+faststart', use_editlist: '0' } : {};

function noiseOf(bytes: number): Buffer {
  const noise = Buffer.alloc(bytes);
  let state = 99;
  for (let at = 0; at < bytes; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    // Never a byte that begins a frame.
    noise[at] = (state >>> 16) % 0xf0;
  }
  return noise;
}

function noisy(file: Buffer, from: number): Buffer {
  return Buffer.concat([file.subarray(0, from), noiseOf(file.length - from)]);
}

/** Every frame is said to come an hour after the one before it. */
function longSteps(m4a: Buffer): Buffer {
  const copy = Buffer.from(m4a);
  const table = copy.indexOf('stts');
  // After version and number of rows: how many frames the first row is for, and their length.
  copy.writeUInt32BE(0x0fff_ffff, table + 16);
  return copy;
}
