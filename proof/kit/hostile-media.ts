/**
 * Malicious media files of every kind: false sizes, deep nesting, endless repetition, other
 * formats. Each states its possible outcome; none may crash the process or take too long.
 */
import { gzipSync } from 'node:zlib';
import {
  box,
  boxAt,
  filesOf,
  type HostileFile,
  patched,
  tampered,
  typeBox,
} from './hostile-file.ts';
import { hostileImages } from './hostile-images.ts';
import { mistimedVideos } from './hostile-timing.ts';
import { makeMedia } from './media-files.ts';

const video = filesOf('video');
const audio = filesOf('audio');

export async function makeHostileMedia(): Promise<HostileFile[]> {
  const h264 = { format: 'mp4', video: 'libx264', seconds: 5 } as const;
  const [indexFirst, fragmented] = ['+faststart', '+frag_keyframe+empty_moov'].map((movflags) => ({
    options: { movflags },
  }));
  const mp4 = await makeMedia({ ...h264, audio: 'aac', ...indexFirst });
  const indexLast = await makeMedia({ ...h264, audio: 'aac' });
  const fragments = await makeMedia({ ...h264, ...fragmented });
  const pcm = { format: 'mov', video: 'mpeg4', audio: 'pcm_s16le', seconds: 2 } as const;
  const pcmVideo = await makeMedia(pcm);
  const matroska = await makeMedia({ format: 'matroska', video: 'libx264', seconds: 5 });
  const song = await makeMedia({ format: 'mp3', audio: 'libmp3lame', seconds: 5 });
  const wave = await makeMedia({ format: 'wav', audio: 'pcm_s16le', seconds: 5 });
  const flac = await makeMedia({ format: 'flac', audio: 'flac', seconds: 5 });
  const adts = await makeMedia({ format: 'adts', audio: 'aac', seconds: 5 });
  const ogg = await makeMedia({ format: 'ogg', audio: 'libopus', seconds: 5 });
  return [
    ...hostileVideos(mp4),
    ...fragmentedVideos(fragments),
    ...mistimedVideos(indexLast, fragments),
    ...matroskaFiles(matroska),
    video('mov whose chunk table stands for four billion chunks', manyChunks(pcmVideo)),
    ...hostileAudio({ song, wave, flac, adts, ogg }),
    ...hostileImages(),
    ...otherFiles(mp4),
  ];
}

const manyChunks = (mov: Buffer): Buffer =>
  patched(mov, (bytes) => {
    const at = boxAt(bytes, 'stsc', boxAt(bytes, 'stsc') + 1);
    bytes.writeUInt32BE(2, at + 8);
    bytes.writeUInt32BE(1, at + 12);
    bytes.writeUInt32BE(0xfffffff0, at + 24);
  });

function hostileVideos(mp4: Buffer): HostileFile[] {
  let nested = box('trak');
  for (let depth = 0; depth < 20_000; depth += 1) nested = box('trak', nested);
  const tiny = Buffer.concat(Array(300_000).fill(box('free')));
  return [
    video('mp4, 4 billion samples in stts', tampered(mp4, 'stts', 12, 0xfffffff0), 'bounded'),
    video('mp4, 4 billion samples in ctts', tampered(mp4, 'ctts', 12, 0xfffffff0), 'bounded'),
    video('mp4, 4 billion entries in stts', tampered(mp4, 'stts', 8, 0xffffffff), 'refused'),
    video('mp4, 4 billion sizes in stsz', tampered(mp4, 'stsz', 12, 0xffffffff), 'refused'),
    video('mp4, 4 billion chunks in stco', tampered(mp4, 'stco', 8, 0xffffffff), 'refused'),
    video('mp4, 4 billion samples in a chunk', tampered(mp4, 'stsc', 16, 0xfffffff0), 'refused'),
    video('mp4, moov of 4 GB', tampered(mp4, 'moov', -4, 0xffffffff), 'bounded'),
    video('mp4, moov without end', tampered(mp4, 'moov', -4, 0), 'bounded'),
    video('mp4, moov shorter than its head', tampered(mp4, 'moov', -4, 4), 'refused'),
    video('mp4, no time scale', tampered(mp4, 'mdhd', 16, 0), 'bounded'),
    video('mp4, boxes 20,000 deep', Buffer.concat([typeBox, box('moov', nested)]), 'refused'),
    video('mp4, 300,000 tiny boxes', Buffer.concat([typeBox, box('moov', tiny)]), 'bounded'),
    video('mp4, cut in its index', mp4.subarray(0, boxAt(mp4, 'stbl')), 'refused'),
    video('mp4, only a type', typeBox, 'refused'),
    video('mp4, only media', Buffer.concat([typeBox, box('mdat', Buffer.alloc(9e4))]), 'refused'),
    {
      ...video('mp4, header says a tenth', tampered(mp4, 'mdhd', 20, 5_120), 'measured'),
      seconds: 5,
    },
    {
      // 10 frames per second, each a hundred times as long.
      ...video('mp4, samples a hundred times as long', longFrames(mp4), 'measured'),
      seconds: 499.9,
    },
  ];
}

/** The duration of a sample follows its count. */
const longFrames = (mp4: Buffer): Buffer =>
  patched(mp4, (bytes) => {
    const at = boxAt(bytes, 'stts') + 16;
    bytes.writeUInt32BE(bytes.readUInt32BE(at) * 100, at);
  });

function fragmentedVideos(fragments: Buffer): HostileFile[] {
  const at = boxAt(fragments, 'trun');
  const manySamples = patched(fragments, (bytes) => {
    bytes.writeUInt32BE(1, at + 4);
    bytes.writeUInt32BE(0xfffffff0, at + 8);
  });
  const circular = patched(fragments, (bytes) => {
    const entry = boxAt(bytes, 'tfra') + 24;
    bytes.fill(0, entry, Math.min(entry + 64, bytes.length));
  });
  return [
    video('fragmented mp4, 4 billion samples in a run without fields', manySamples, 'refused'),
    video('fragmented mp4, an index that leads in a circle', circular),
  ];
}

const cluster = Buffer.from('1f43b675', 'hex');

function matroskaFiles(mp4: Buffer): HostileFile[] {
  const clusterAt = mp4.indexOf(cluster);
  const endless = Buffer.concat([
    mp4.subarray(0, clusterAt + 4),
    Buffer.from('01ffffffffffffff', 'hex'),
    mp4.subarray(clusterAt + 5),
    Buffer.alloc(400_000, Buffer.from('a3840181e7', 'hex')),
  ]);
  const header = mp4.subarray(0, clusterAt);
  const emptyClusters = Buffer.alloc(8 * 20_000, Buffer.from('1f43b67583e7810a', 'hex'));
  const hugeHeader = Buffer.from('1a45dfa301fffffffffffffe4286810142f78101', 'hex');
  return [
    video('mkv, a cluster without end', endless),
    video('mkv, 20,000 empty clusters', Buffer.concat([header, emptyClusters])),
    video('mkv, a header of 72 petabytes', hugeHeader, 'refused'),
  ];
}

type AudioSamples = Readonly<Record<'song' | 'wave' | 'flac' | 'adts' | 'ogg', Buffer>>;

function hostileAudio({ song, wave, flac, adts, ogg }: AudioSamples): HostileFile[] {
  const framesAt = Math.max(song.indexOf('Xing'), song.indexOf('Info')) + 8;
  const emptyTags = Buffer.concat(Array(30_000).fill(emptyTag));
  const withFrames = (count: number) =>
    patched(song, (bytes) => bytes.writeUInt32BE(count, framesAt));
  const noBlocks = patched(wave, (bytes) => bytes.writeUInt16LE(0, 32));
  const noRate = patched(wave, (bytes) => bytes.writeUInt32LE(0, 24));
  const flacWithoutRate = patched(flac, (bytes) => bytes.fill(0, 18, 21));
  return [
    { ...audio('mp3, Xing says half a second', withFrames(20), 'measured'), seconds: 5 },
    { ...audio('mp3, Xing says a day', withFrames(3_600_000), 'measured'), seconds: 86_400 },
    audio('mp3, a tag of 256 MB', Buffer.concat([hugeTag, song])),
    audio('mp3, 30,000 empty tags', Buffer.concat([emptyTags, song])),
    { ...audio('wav, 4 GB of data', patched(wave, endlessWave), 'measured'), seconds: 5 },
    audio('wav, blocks of no bytes', noBlocks),
    audio('wav, no samples a second', noRate, 'refused'),
    audio('flac, no samples a second', flacWithoutRate),
    audio('flac, no frame', flacWithoutFrame(flac), 'refused'),
    audio('aac, frames of no bytes', patched(adts, emptyFrames), 'refused'),
    audio('ogg, one page 5,000 times', repeatedPage(ogg)),
    audio('ogg, cut in its first page', ogg.subarray(0, 40), 'refused'),
  ];
}

const emptyTag = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1');
const hugeTag = Buffer.from('ID3\x03\0\0\x7f\x7f\x7f\x7f', 'latin1');

function endlessWave(bytes: Buffer): void {
  bytes.writeUInt32LE(0xffffffff, 4);
  bytes.writeUInt32LE(0xffffffff, boxAt(bytes, 'data') + 4);
}

/** Makes every frame header after the second claim an empty frame. */
function emptyFrames(bytes: Buffer): void {
  for (let at = 600; at + 6 < bytes.length; at += 1) {
    if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0) continue;
    bytes[at + 3] = bytes[at + 3]! & 0xfc;
    bytes[at + 4] = 0;
    bytes[at + 5] = bytes[at + 5]! & 0x1f;
  }
}

/** 66 bytes, of which the parser looks for the last frame forever. */
const flacWithoutFrame = (flac: Buffer): Buffer =>
  Buffer.concat([Buffer.from('fLaC\x80\0\0"', 'latin1'), flac.subarray(8, 42), Buffer.alloc(24)]);

function repeatedPage(ogg: Buffer): Buffer {
  const second = ogg.indexOf('OggS', 4);
  const third = ogg.indexOf('OggS', second + 4);
  const page = ogg.subarray(second, third);
  return Buffer.concat([ogg.subarray(0, second), ...Array<Buffer>(5_000).fill(page)]);
}

function otherFiles(mp4: Buffer): HostileFile[] {
  const playlist = '#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nfile:///etc/passwd\n';
  const other = (name: string, bytes: Buffer) => video(name, bytes, 'refused');
  const zip = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), gzipSync(Buffer.alloc(1e7))]);
  return [
    other('m3u8 that names a file', Buffer.from(playlist)),
    other('ffconcat list', Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n")),
    other('zip bomb', zip),
    other('gzip bomb', gzipSync(Buffer.alloc(1e7))),
    other('mp4 backwards', Buffer.from(mp4).reverse()),
  ];
}
