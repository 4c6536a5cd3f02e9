/**
 * The format of a file, and the size of an image, by its first bytes; neither the file name nor
 * the content type of the sender is trusted. Reads fixed offsets and, in a JPEG, segment lengths,
 * always within the given bytes.
 */
import { open } from 'node:fs/promises';
import type { MaterialKind } from '@vidgen/renderer/render-job.ts';
import type { Size } from '@vidgen/renderer/size.ts';

export type MediaInfo = {
  readonly contentType: string;
  /** For file names: some upstreams choose a decoder by it. */
  readonly extension: string;
  /** Of an image; null when the first bytes do not contain it. */
  readonly shape: Size | null;
};

/** Cameras put thumbnails and color profiles before the size. */
const headBytesMax = 1024 ** 2;

export async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(headBytesMax) });
  return buffer.subarray(0, bytesRead);
}

/** Returns null for a file of another kind. Accepts the formats of the contract. */
export function readMediaInfo(head: Buffer, kind: MaterialKind): MediaInfo | null {
  if (kind === 'image') return readImageInfo(head);
  const text = head.toString('latin1', 0, 64);
  const mediaType = kind === 'video' ? videoType(text) : audioType(text);
  return mediaType && { contentType: mediaType[0], extension: mediaType[1], shape: null };
}

type MediaType = readonly [contentType: string, extension: string] | null;

function videoType(text: string): MediaType {
  if (text.slice(4, 8) === 'ftyp') {
    return text.slice(8, 12) === 'qt  ' ? ['video/quicktime', 'mov'] : ['video/mp4', 'mp4'];
  }
  // Old QuickTime files have no `ftyp` box.
  if (['moov', 'mdat', 'wide'].includes(text.slice(4, 8))) return ['video/quicktime', 'mov'];
  if (!text.startsWith('\x1a\x45\xdf\xa3')) return null;
  return text.includes('matroska') ? ['video/x-matroska', 'mkv'] : ['video/webm', 'webm'];
}

function audioType(text: string): MediaType {
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WAVE') return ['audio/wav', 'wav'];
  if (text.startsWith('fLaC')) return ['audio/flac', 'flac'];
  if (text.startsWith('OggS')) return ['audio/ogg', 'ogg'];
  if (text.slice(4, 8) === 'ftyp') return ['audio/mp4', 'm4a'];
  if (/^\xff[\xf0\xf1\xf8\xf9]/.test(text)) return ['audio/aac', 'aac'];
  // An ID3 tag, or an MPEG frame: eleven bits that are set.
  return /^(ID3|\xff[\xe0-\xff])/.test(text) ? ['audio/mpeg', 'mp3'] : null;
}

function readImageInfo(head: Buffer): MediaInfo | null {
  const text = head.toString('latin1', 0, 32);
  if (text.startsWith('\x89PNG\r\n\x1a\n')) {
    return imageInfo('png', head, 24, () => [head.readUInt32BE(16), head.readUInt32BE(20)]);
  }
  if (text.startsWith('\xff\xd8\xff')) return { ...formatOf('jpeg'), shape: jpegShape(head) };
  if (/^GIF8[79]a/.test(text)) {
    return imageInfo('gif', head, 10, () => [head.readUInt16LE(6), head.readUInt16LE(8)]);
  }
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') {
    return imageInfo('webp', head, 30, () => webpSides(head, text.slice(12, 16)));
  }
  // Two letters are not distinctive enough, so the size of the second header is checked too.
  if (text.startsWith('BM') && head.length >= 26 && head.readUInt32LE(14) >= 40) {
    // A bitmap that is stored top-down has a negative height.
    return imageInfo('bmp', head, 26, () => [head.readInt32LE(18), Math.abs(head.readInt32LE(22))]);
  }
  return null;
}

const formatOf = (kind: string) => ({
  contentType: `image/${kind}`,
  extension: kind === 'jpeg' ? 'jpg' : kind,
});

type Sides = readonly [width: number, height: number];

function imageInfo(
  kind: string,
  head: Buffer,
  bytes: number,
  sides: () => Sides | null,
): MediaInfo {
  return { ...formatOf(kind), shape: head.length < bytes ? null : shapeOf(sides()) };
}

function shapeOf(sides: Sides | null): Size | null {
  const [width, height] = sides ?? [0, 0];
  return width > 0 && height > 0 ? { width, height } : null;
}

/** Follows the segments to the first frame header, which has the size. */
function jpegShape(head: Buffer): Size | null {
  let at = 2;
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1]!;
    // Padding; ITU-T T.81, B.1.1.3: TEM and RSTn have no length.
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker < 0xc0 || marker === 0xd8 || marker === 0xd9) return null;
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (beginsFrame) return shapeOf([head.readUInt16BE(at + 7), head.readUInt16BE(at + 5)]);
    at += 2 + head.readUInt16BE(at + 2);
  }
  return null;
}

/** Lossy, lossless and extended WebP. */
function webpSides(head: Buffer, chunk: string): Sides | null {
  if (chunk === 'VP8 ') return [head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff];
  if (chunk === 'VP8L') {
    const bits = head.readUInt32LE(21);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  }
  if (chunk === 'VP8X') return [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1];
  return null;
}
