/**
 * Videos and audio files with a valid length and broken tracks, which only decoding shows. They may
 * pass the probe, and must not harm the decoder.
 */
import {
  box,
  boxAt,
  filesOf,
  type HostileFile,
  patched,
  tampered,
  typeBox,
} from './hostile-file.ts';

const [video, audio] = [filesOf('video'), filesOf('audio')];
/** The index is valid, but no image can be decoded. */
const blank = (name: string, bytes: Buffer) => video(name, bytes, 'undecodable');

export function corruptVideos(mp4: Buffer): HostileFile[] {
  const mediaAt = boxAt(mp4, 'mdat') + 4;
  // The first `avc1` is a brand in the type box.
  const entryAt = boxAt(mp4, 'avc1', boxAt(mp4, 'stsd'));
  const changedMedia = (change: (media: Buffer) => void) =>
    patched(mp4, (bytes) => change(bytes.subarray(mediaAt)));
  const filled = (byte: number) => changedMedia((media) => media.fill(byte));
  const reversed = changedMedia((media) => media.reverse());
  const indexAfterMedia = farBox('mdat', mp4.subarray(boxAt(mp4, 'moov') - 4));
  return [
    blank('mp4, cut in its media', mp4.subarray(0, mediaAt + 3_000)),
    blank('mp4, without its media', mp4.subarray(0, mediaAt)),
    blank('mp4, media of zeros', filled(0)),
    blank('mp4, media of ones', filled(0xff)),
    blank('mp4, media upside down', reversed),
    video('mp4, every seventh byte changed', changedMedia(scratch)),
    blank('mp4, samples beyond its end', tampered(mp4, 'stco', 12, 0xfffffff0)),
    video('mp4, samples inside its index', tampered(mp4, 'stco', 12, 8)),
    video('mp4, every sample of 2 GB', tampered(mp4, 'stsz', 8, 0x7fffffff)),
    video('mp4, 4 billion samples a chunk', tampered(mp4, 'stsc', 16, 0xffffffff)),
    video('mp4, samples of no length', tampered(mp4, 'stts', 16, 0)),
    video('mp4, samples shown before they are there', tampered(mp4, 'ctts', 16, 0x80000000)),
    video('mp4, a length below nothing', tampered(mp4, 'mdhd', 20, 0xffffffff)),
    video('mp4, a billion ticks a second', tampered(mp4, 'mdhd', 16, 1_000_000_000)),
    video('mp4, an edit that begins in 12 hours', tampered(mp4, 'elst', 16, 0x7fffffff)),
    video('mp4, an edit of no speed', tampered(mp4, 'elst', 20, 0)),
    video('mp4, edits by the billion', tampered(mp4, 'elst', 8, 0xffffffff)),
    blank('mp4, 100,000 by 100,000 pixels by its header', huge(mp4, entryAt)),
    blank('mp4, an unknown codec', renamed(mp4, entryAt, 'zzzz')),
    video('mp4, a codec of another kind', renamed(mp4, entryAt, 'mp4v')),
    blank('mp4, parameters of noise', tampered(mp4, 'avcC', 8, 0xffffffff)),
    video('mp4, 4 billion sorts of samples', tampered(mp4, 'stsd', 8, 0xffffffff)),
    video('mp4, an index of 1 exabyte', farBox('moov')),
    video('mp4, media of 1 exabyte before its index', indexAfterMedia),
  ];
}

function scratch(media: Buffer): void {
  for (let at = 8; at < media.length; at += 7) media[at] = media[at]! ^ 0x5a;
}

const huge = (mp4: Buffer, entryAt: number): Buffer =>
  patched(mp4, (bytes) => {
    const header = boxAt(bytes, 'tkhd') + 4;
    // Fixed point: the upper half holds the pixels.
    bytes.writeUInt32BE(0xffffffff, header + 76);
    bytes.writeUInt32BE(0xffffffff, header + 80);
    bytes.writeUInt16BE(0xffff, entryAt + 28);
    bytes.writeUInt16BE(0xffff, entryAt + 30);
  });

const renamed = (mp4: Buffer, entryAt: number, name: string): Buffer =>
  patched(mp4, (bytes) => bytes.write(name, entryAt, 'latin1'));

/** A size of 1 means that the true size follows in eight bytes. */
function farBox(name: string, rest: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1, 0);
  head.write(name, 4, 'latin1');
  head.writeBigUInt64BE(2n ** 60n, 8);
  return Buffer.concat([typeBox, head, box('free'), rest]);
}

export function corruptAudio({ mp4, wave }: Record<'mp4' | 'wave', Buffer>): HostileFile[] {
  const m4a = audioOnly(mp4);
  const entryAt = boxAt(m4a, 'mp4a');
  const wavWith = (at: number, value: number) =>
    patched(wave, (bytes) => bytes.writeUInt16LE(value, at));
  const fastWave = patched(wave, (bytes) => bytes.writeUInt32LE(0xffffffff, 24));
  const wideM4a = patched(m4a, (bytes) => bytes.writeUInt16BE(255, entryAt + 20));
  return [
    audio('wav of 255 channels', wavWith(22, 255)),
    audio('wav of 65,535 bits a sample', wavWith(34, 65_535)),
    audio('wav of an unknown format', wavWith(20, 0xfffe)),
    audio('wav of 4 billion samples a second', fastWave),
    audio('m4a of 255 channels', wideM4a),
    audio('m4a of an unknown codec', renamed(m4a, entryAt, 'zzzz')),
  ];
}

/** Removes the video track, so that only the audio track is left. */
const audioOnly = (mp4: Buffer): Buffer =>
  patched(mp4, (bytes) => {
    bytes.write('M4A ', 8, 'latin1');
    bytes.write('free', boxAt(bytes, 'trak'), 'latin1');
  });
