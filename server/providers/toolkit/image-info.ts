/**
 * What a picture is and how large, by its first bytes. Reads fixed places, and in a JPEG the
 * lengths of its segments, within what it was given: no file can make it work.
 */
import { open } from 'node:fs/promises';
import type { Size } from '@vidgen/renderer/size.ts';

export type ImageInfo = {
  readonly contentType: string;
  /** Ends its name: some engines go by that. */
  readonly extension: string;
  /** Null where the first bytes do not tell. */
  readonly shape: Size | null;
};

/** Where cameras put previews and colors before the size, it still stands in the first part. */
const headBytesMax = 1024 ** 2;

/** The first bytes of a file: all that is ever looked at. */
export async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(headBytesMax) });
  return buffer.subarray(0, bytesRead);
}

/** Null for what is none of the pictures we take (Decisions, "Formats of materials"). */
export function readImageInfo(head: Buffer): ImageInfo | null {
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
  // Two letters are too few to know a file by: the size of the second header is the other half.
  if (text.startsWith('BM') && head.length >= 26 && head.readUInt32LE(14) >= 40) {
    // Upside down is a negative height.
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
): ImageInfo {
  return { ...formatOf(kind), shape: head.length < bytes ? null : shapeOf(sides()) };
}

function shapeOf(sides: Sides | null): Size | null {
  const [width, height] = sides ?? [0, 0];
  return width > 0 && height > 0 ? { width, height } : null;
}

/** Follows the segments to the first that begins a frame: it holds the size. */
function jpegShape(head: Buffer): Size | null {
  let at = 2;
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1]!;
    if (marker === 0xff) {
      at += 1; // Padding.
      continue;
    }
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (beginsFrame) return shapeOf([head.readUInt16BE(at + 7), head.readUInt16BE(at + 5)]);
    at += 2 + head.readUInt16BE(at + 2);
  }
  return null;
}

/** Three ways to write a WebP: lossy, lossless, and extended. */
function webpSides(head: Buffer, chunk: string): Sides | null {
  if (chunk === 'VP8 ') return [head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff];
  if (chunk === 'VP8L') {
    const bits = head.readUInt32LE(21);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  }
  if (chunk === 'VP8X') return [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1];
  return null;
}
