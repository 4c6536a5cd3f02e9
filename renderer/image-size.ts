/**
 * The size of an image from its first bytes, without decoding. Every loop moves forward, so the
 * work is linear in the bytes at hand. Null if the size is not among them.
 */
import type { Size } from './size.ts';

/** Only of the formats that renders decode: PNG, GIF, BMP, JPEG, WebP and AVIF. */
export const decodableSizeOf = (bytes: Buffer): Size | null =>
  /^(\x89PNG|GIF8|BM|\xff\xd8|RIFF.{4}WEBP|.{4}ftypavi[fs])/s.test(bytes.toString('latin1', 0, 12))
    ? imageSizeOf(bytes)
    : null;

export function imageSizeOf(bytes: Uint8Array): Size | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const name = head.toString('latin1', 0, 12);
  try {
    if (name.startsWith('\x89PNG'))
      return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
    if (name.startsWith('GIF8')) return sizeInGif(head);
    if (name.startsWith('BM')) return sizeInBmp(head);
    if (name.startsWith('\xff\xd8')) return sizeInJpeg(head);
    if (name.startsWith('RIFF') && name.endsWith('WEBP')) return sizeInWebp(head);
    if (name.slice(4, 8) === 'ftyp') return sizeInIsoImage(head);
    if (name.startsWith('\xff\x0a') || name.slice(4, 8) === 'JXL ') return sizeInJpegXl(head);
    const directoryAt = tiffDirectoryOf(head);
    return directoryAt === null ? null : tiffSizeOf(head, head.subarray(directoryAt));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * The screen, enlarged to the frames among these bytes, as decoders do for the first one. Null if
 * there is no frame among them. Some decoders skip bytes between blocks that begin none.
 */
function sizeInGif(head: Buffer): Size | null {
  const tableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let [width, height, hasFrame] = [head.readUInt16LE(6), head.readUInt16LE(8), false];
  for (let at = 13 + tableBytes(head.readUInt8(10)); at + 10 <= head.length; ) {
    const block = head[at];
    if (block === 0x3b) break;
    at += block === 0x21 ? 2 : 1;
    if (block === 0x2c) {
      width = Math.max(width, head.readUInt16LE(at) + head.readUInt16LE(at + 4));
      height = Math.max(height, head.readUInt16LE(at + 2) + head.readUInt16LE(at + 6));
      hasFrame = true;
      at += 10 + tableBytes(head[at + 8]!);
    }
    if (block !== 0x21 && block !== 0x2c) continue;
    while ((head[at] ?? 0) > 0) at += 1 + head[at]!;
    at += 1;
  }
  return hasFrame ? { width, height } : null;
}

function sizeInBmp(head: Buffer): Size {
  // The oldest header has 16-bit sizes; a negative height means that rows begin at the top.
  if (head.readUInt32LE(14) === 12) {
    return { width: head.readUInt16LE(18), height: head.readUInt16LE(20) };
  }
  return { width: Math.abs(head.readInt32LE(18)), height: Math.abs(head.readInt32LE(22)) };
}

function sizeInWebp(head: Buffer): Size | null {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

/** Up to the frame header. ITU-T T.81, B.1.1.3: TEM and RSTn have no length. */
function sizeInJpeg(head: Buffer): Size | null {
  for (let at = 2; ; ) {
    if (head.readUInt8(at) !== 0xff) return null;
    const marker = head.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (marker < 0xc0 || marker === 0xd8 || marker === 0xd9) return null;
    else at += 2 + head.readUInt16BE(at + 2);
  }
}

/** HEIC, AVIF: the largest of the spatial extents (ISO 23008-12, 6.5.3), as tiles have one too. */
function sizeInIsoImage(head: Buffer): Size | null {
  let largest: Size | null = null;
  for (let at = head.indexOf('ispe'); at >= 0; at = head.indexOf('ispe', at + 4)) {
    if (at + 16 > head.length) break;
    const size = { width: head.readUInt32BE(at + 8), height: head.readUInt32BE(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

/** Where the first directory of a TIFF image is; null for other files. */
export function tiffDirectoryOf(bytes: Uint8Array): number | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 8));
  if (head.length < 8 || !/^(II\*\0|MM\0\*)/.test(head.toString('latin1'))) return null;
  return head[0] === 0x49 ? head.readUInt32LE(4) : head.readUInt32BE(4);
}

/** The tags 256 and 257. `bytes` begin with the directory, often at the end of the file. */
export function tiffSizeOf(head: Uint8Array, bytes: Uint8Array): Size | null {
  const directory = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isLittle = head[0] === 0x49;
  const read = (at: number, byteLength: 2 | 4) =>
    isLittle ? directory.readUIntLE(at, byteLength) : directory.readUIntBE(at, byteLength);
  const values = new Map<number, number>();
  const wholeEntries = Math.floor((directory.length - 2) / 12);
  const count = directory.length < 2 ? 0 : Math.min(read(0, 2), wholeEntries);
  for (let at = 2; at < 2 + count * 12; at += 12) {
    values.set(read(at, 2), read(at + 8, read(at + 2, 2) === 3 ? 2 : 4));
  }
  const [width, height] = [values.get(256), values.get(257)];
  return width === undefined || height === undefined ? null : { width, height };
}

/** The codestream itself, or the first box of a container that has a part of it. */
function sizeInJpegXl(head: Buffer): Size | null {
  if (head[0] === 0xff) return sizeInCodestream(head);
  for (let at = 0; ; ) {
    const short = head.readUInt32BE(at);
    const headBytes = short === 1 ? 16 : 8;
    const type = head.toString('latin1', at + 4, at + 8);
    const bytes = short === 1 ? Number(head.readBigUInt64BE(at + 8)) : short;
    if (type === 'jxlc') return sizeInCodestream(head.subarray(at + headBytes));
    // A part begins with its number.
    if (type === 'jxlp') return sizeInCodestream(head.subarray(at + headBytes + 4));
    if (bytes < headBytes) return null;
    at += bytes;
  }
}

/** Numerators and denominators of the width by the height; 0 means that the width follows. */
const jpegXlRatios = [null, [1, 1], [12, 10], [4, 3], [3, 2], [16, 9], [5, 4], [2, 1]] as const;

/** ISO 18181-1, SizeHeader: numbers of various lengths, lowest bit first. */
function sizeInCodestream(bytes: Buffer): Size | null {
  if (bytes.readUInt16BE(0) !== 0xff0a) return null;
  let at = 16;
  const read = (bits: number): number => {
    let value = 0;
    for (let bit = 0; bit < bits; bit += 1, at += 1) {
      value += ((bytes.readUInt8(at >> 3) >> (at & 7)) & 1) * 2 ** bit;
    }
    return value;
  };
  const isSmall = read(1) === 1;
  const readSide = () => (isSmall ? (read(5) + 1) * 8 : read([9, 13, 18, 30][read(2)]!) + 1);
  const height = readSide();
  const ratio = jpegXlRatios[read(3)];
  const width = ratio ? Math.floor((height * ratio[0]) / ratio[1]) : readSide();
  return { width, height };
}
