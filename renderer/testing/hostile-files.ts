/**
 * Audio and video files that are not what they seem: cut off, with a wrong length or size in the
 * header, empty, or of another type. Each differs from a valid file in one thing.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { type AudioFileName, wavOf, writeAudioFile } from './media-writer.ts';
import { steady, writeVideo } from './video-files.ts';

/** The expected error, or the length in seconds of a file that is usable nevertheless. */
type Verdict = RegExp | number;
type HostileRow = readonly [name: string, bytes: Buffer | string, verdict: Verdict];

type HostileFile = {
  readonly name: string;
  readonly file: string;
  readonly verdict: Verdict;
};

const write = async (folder: string, rows: readonly HostileRow[]): Promise<HostileFile[]> =>
  await Promise.all(
    rows.map(async ([name, bytes, verdict]) => {
      const file = join(folder, `hostile-${name.replaceAll(/[^a-z0-9.]+/g, '-')}`);
      await writeFile(file, bytes);
      return { name, file, verdict };
    }),
  );

/** Files of other types, which no decoder may open. */
const otherTypes = (verdict: RegExp): HostileRow[] => [
  ['nothing', '', verdict],
  ['a page', '<!doctype html><title>Sign in</title>', verdict],
  ['a playlist', '#EXTM3U\n#EXTINF:5,\nfile:///etc/passwd\n', verdict],
  ['a list of files', "ffconcat version 1.0\nfile '/etc/passwd'\n", verdict],
];

const isNoAudio = /^not an MP3, WAV, M4A, AAC, OGG or FLAC file, and not a video$/;
const isUnreadable = /cannot be|damaged|too long|not supported/;
const isCutOff = /^the file is cut off: \d+\.\d s of \d+\.\d s$/;

/** All are made from the same two seconds of audio. */
export async function writeHostileAudio(
  folder: string,
  samples: Float32Array,
): Promise<HostileFile[]> {
  const made = async (name: AudioFileName, options = {}): Promise<Buffer> =>
    await readFile(await writeAudioFile(folder, { name, samples, options }));
  const mp3 = await made('song.mp3');
  // The index in front, so that cutting the file removes audio.
  const m4a = await made('song.m4a', { movflags: '+faststart', use_editlist: '0' });
  const flac = await made('song.flac');
  const ogg = await made('song.ogg');
  const wav = wavOf(samples);
  const mp3Frame = Buffer.of(0xff, 0xfb, 0x90);
  const id3Tag = Buffer.from('ID3\x03\0\0\0\0\0\x0a');
  return await write(folder, [
    ...otherTypes(isNoAudio),
    ['noise.wav', noiseOf(50_000), isNoAudio],
    ['noise-like-mp3.mp3', Buffer.concat([mp3Frame, noiseOf(9_000)]), isUnreadable],
    ['only-a-tag.mp3', Buffer.concat([id3Tag, Buffer.alloc(10)]), isUnreadable],
    ['only-a-type.m4a', Buffer.from('\0\0\0\x10ftypM4A \0\0\0\0', 'latin1'), isUnreadable],
    ['only-a-page.ogg', ogg.subarray(0, 58), isUnreadable],
    ['only-a-header.flac', flac.subarray(0, 42), isUnreadable],
    ['rate-1.wav', wavOf(samples, { rate: 1 }), /^a sample rate of 1 Hz/],
    ['rate-4-billion.wav', wavOf(samples, { rate: 0xffff_fff0 }), /sample rate|cannot be read/],
    ['channels-0.wav', wavOf(samples, { channels: 0 }), isUnreadable],
    ['channels-9.wav', wavOf(samples, { channels: 9 }), /^9 audio channels/],
    ['channels-65535.wav', wavOf(samples, { channels: 0xffff }), isUnreadable],
    ['an-hour-in-the-header.wav', wavOf(samples, { dataBytes: 691_200_000 }), 2],
    ['endless-in-the-header.wav', wavOf(samples, { dataBytes: 0xffff_ffff }), 2],
    ['cut.m4a', m4a.subarray(0, Math.round(m4a.length * 0.55)), isCutOff],
    ['cut-in-its-index.m4a', m4a.subarray(0, m4a.indexOf('stbl')), isUnreadable],
    ['cut.flac', flac.subarray(0, flac.length >> 1), isCutOff],
    // The length in these headers is not reliable, so the part that exists is played.
    ['cut.wav', wav.subarray(0, wav.length >> 1), 1],
    ['cut.mp3', mp3.subarray(0, mp3.length >> 1), 1],
    ['media-are-noise.mp3', noisy(mp3, mp3.length >> 1), 1],
    ['media-are-noise.m4a', noisy(m4a, m4a.indexOf('mdat') + 4), isUnreadable],
    // The duration of each frame, after version, row count and frame count.
    ['hours-between-samples.m4a', with32(m4a, m4a.indexOf('stts') + 16, 0x0fff_ffff), 30],
  ]);
}

const isDamaged = /^the video is damaged$/;
const isNoVideo = /^not an MP4, MOV, WebM or MKV video$/;

export async function writeHostileVideos(folder: string): Promise<HostileFile[]> {
  const frames = steady({ seconds: 2 });
  const options = { movflags: '+faststart' };
  const mp4File = join(folder, 'valid-mp4');
  const mp4 = await readFile(await writeVideo(mp4File, { frames, options, clickSeconds: 2 }));
  const mkvFile = join(folder, 'valid-mkv');
  const mkv = await readFile(await writeVideo(mkvFile, { frames, format: 'matroska' }));
  return await write(folder, [
    ...tampered(mp4),
    ...otherTypes(isNoVideo),
    ['mp4 cut in its media', mp4.subarray(0, Math.round(mp4.length * 0.6)), isDamaged],
    ['mp4 cut in its index', mp4.subarray(0, boxAt(mp4, 'stbl')), isDamaged],
    ['mp4 without media', mp4.subarray(0, boxAt(mp4, 'mdat') + 4), isDamaged],
    ['mp4 whose media are noise', noisy(mp4, boxAt(mp4, 'mdat') + 4), isDamaged],
    ['mkv cut in the middle', mkv.subarray(0, mkv.length >> 1), isDamaged],
    ['mkv with a header and nothing else', mkv.subarray(0, 300), isDamaged],
    ['only a type', Buffer.from('\0\0\0\x14ftypisom\0\0\0\0isom', 'latin1'), isDamaged],
    ['an image', createCanvas(8, 8).toBuffer('image/png'), isNoVideo],
  ]);
}

/** Offsets count from the name of the box. */
function tampered(mp4: Buffer): HostileRow[] {
  const withField = (box: string, offset: number, value: number): Buffer =>
    with32(mp4, boxAt(mp4, box) + offset, value);
  const withName = (box: string, name: string): Buffer => {
    const copy = Buffer.from(mp4);
    copy.write(name, boxAt(mp4, box), 'latin1');
    return copy;
  };
  const frameTicks = mp4.readUInt32BE(boxAt(mp4, 'stts') + 16);
  const length = mp4.readUInt32BE(boxAt(mp4, 'mdhd') + 20);
  return [
    // The edit list keeps one frame of these.
    ['mp4 with frames 100 times as long', withField('stts', 16, frameTicks * 100), 100 / 24],
    ['mp4 with frames of no duration', withField('stts', 16, 0), isDamaged],
    ['mp4 with a tenth in its header', withField('mdhd', 20, length / 10), 2],
    ['mp4 with ten times in its header', withField('mdhd', 20, length * 10), 2],
    ['mp4 of four billion samples', withField('stts', 12, 0xfffffff0), 2],
    ['mp4 of four billion sizes', withField('stsz', 12, 0xffffffff), isDamaged],
    ['mp4 of 60000 by 60000 pixels', withField('avc1', 28, 0xea60ea60), /60000x60000 pixels/],
    ['mp4 with audio only', withName('vide', 'soun'), /no video stream/],
    ['mp4 of an unsupported codec', withName('avc1', 'cvid'), /codec cinepak/],
  ];
}

/** Skips the type box at the front, which names a codec too. */
function boxAt(bytes: Buffer, name: string): number {
  const found = bytes.indexOf(name, 40, 'latin1');
  if (found < 0) throw new Error(`no ${name} in this file`);
  return found;
}

function with32(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(value, at);
  return copy;
}

function noiseOf(bytes: number): Buffer {
  let state = 99;
  return Buffer.from(
    Uint8Array.from({ length: bytes }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      // Never 0xff, which starts an MPEG frame.
      return (state >>> 16) % 0xf0;
    }),
  );
}

const noisy = (file: Buffer, from: number): Buffer =>
  Buffer.concat([file.subarray(0, from), noiseOf(file.length - from)]);
