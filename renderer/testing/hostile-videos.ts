/**
 * Videos that are not what they seem: cut off, lying about their length or size, empty, of another
 * kind. Made from one small real film, so that each differs from a good one in a single thing.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { steady, writeVideo } from './video-files.ts';

export type OddVideo = {
  readonly name: string;
  readonly file: string;
  /** What is said of it; a number is the length in seconds of one that can be used all the same. */
  readonly verdict: RegExp | number;
};

const isDamaged = /^the video is damaged$/;
const isOther = /^not an MP4, MOV, WebM or MKV video$/;

export async function writeOddVideos(folder: string): Promise<OddVideo[]> {
  const path = (name: string): string => join(folder, name.replaceAll(/[^a-z0-9]+/g, '-'));
  const frames = steady({ seconds: 2 });
  const options = { movflags: '+faststart' };
  const film = await readFile(await writeVideo(path('film'), { frames, options, clickSeconds: 2 }));
  const matroska = await readFile(
    await writeVideo(path('matroska'), { frames, format: 'matroska' }),
  );
  const rows: readonly (readonly [string, Buffer | string, RegExp | number])[] = [
    ...tampered(film),
    ['mp4 cut in its media', film.subarray(0, Math.round(film.length * 0.6)), isDamaged],
    ['mp4 cut in its index', film.subarray(0, at(film, 'stbl')), isDamaged],
    ['mp4 without media', film.subarray(0, at(film, 'mdat') + 4), isDamaged],
    ['mp4 whose media are noise', noisy(film, at(film, 'mdat') + 4), isDamaged],
    ['mkv cut in the middle', matroska.subarray(0, matroska.length >> 1), isDamaged],
    ['mkv with a header and nothing else', matroska.subarray(0, 300), isDamaged],
    ['only a type', Buffer.concat([boxOf('ftyp', 'isom\0\0\0\0isom')]), isDamaged],
    ['a picture', createCanvas(8, 8).toBuffer('image/png'), isOther],
    ['a page', '<!doctype html><title>Sign in</title>', isOther],
    ['a playlist', '#EXTM3U\n#EXTINF:5,\nfile:///etc/passwd\n', isOther],
    ['a list of files', "ffconcat version 1.0\nfile '/etc/passwd'\n", isOther],
    ['nothing', '', isOther],
  ];
  return await Promise.all(
    rows.map(async ([name, bytes, verdict]) => {
      await writeFile(path(name), bytes);
      return { name, file: path(name), verdict };
    }),
  );
}

function tampered(film: Buffer): readonly (readonly [string, Buffer, RegExp | number])[] {
  // Fields count from the name of their box.
  const with32 = (box: string, field: number, value: number): Buffer => {
    const copy = Buffer.from(film);
    copy.writeUInt32BE(value, at(film, box) + field);
    return copy;
  };
  const withName = (box: string, name: string): Buffer => {
    const copy = Buffer.from(film);
    copy.write(name, at(film, box), 'latin1');
    return copy;
  };
  const stts = film.readUInt32BE(at(film, 'stts') + 16);
  const length = film.readUInt32BE(at(film, 'mdhd') + 20);
  return [
    // The list of edits keeps one frame of them.
    ['mp4 whose frames are a hundred times as long', with32('stts', 16, stts * 100), 100 / 24],
    ['mp4 whose frames take no time', with32('stts', 16, 0), isDamaged],
    ['mp4 whose header says a tenth', with32('mdhd', 20, length / 10), 2],
    ['mp4 whose header says ten times as much', with32('mdhd', 20, length * 10), 2],
    ['mp4 of four billion samples', with32('stts', 12, 0xfffffff0), 2],
    ['mp4 of four billion sizes', with32('stsz', 12, 0xffffffff), isDamaged],
    ['mp4 of 60000 by 60000 pixels', with32('avc1', 28, 0xea60ea60), /60000x60000 pixels/],
    ['mp4 with sound alone', withName('vide', 'soun'), /no picture/],
    ['mp4 of a codec that is not read', withName('avc1', 'cvid'), /codec cinepak/],
  ];
}

/** Behind the type at the front, which names a codec too. */
function at(bytes: Buffer, name: string): number {
  const found = bytes.indexOf(name, 40, 'latin1');
  if (found < 0) throw new Error(`no ${name} in this file`);
  return found;
}

function noisy(bytes: Buffer, from: number): Buffer {
  const copy = Buffer.from(bytes);
  for (let index = from; index < copy.length; index += 1) copy[index] = (index * 7919) % 251;
  return copy;
}

function boxOf(name: string, content: string): Buffer {
  const bytes = Buffer.from(`\0\0\0\0${name}${content}`, 'latin1');
  bytes.writeUInt32BE(bytes.length, 0);
  return bytes;
}
