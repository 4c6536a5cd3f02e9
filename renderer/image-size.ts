/**
 * The size of an image from its first bytes, without decoding. Reads within the given bytes only,
 * and every loop moves forward.
 */
import type { Size } from './size.ts';

/** The size in the header, without decoding; null for any other format. */
export function sizeInHeader(bytes: Buffer): Size | null {
  if (bytes.length < 30) return null;
  const text = (from: number, to: number): string => bytes.toString('latin1', from, to);
  if (text(1, 4) === 'PNG' && text(12, 16) === 'IHDR') {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (text(0, 4) === 'GIF8') return sizeInGif(bytes);
  if (text(0, 2) === 'BM') {
    return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) };
  }
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return sizeInWebp(bytes, text(12, 16));
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return sizeInJpeg(bytes);
  if (/^ftypavi[fs]$/.test(text(4, 12))) return sizeInAvif(bytes);
  return null;
}

/** The screen, enlarged to the frames, as the decoder does. */
function sizeInGif(bytes: Buffer): Size {
  const tableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  for (let at = 13 + tableBytes(bytes[10]!); at + 10 <= bytes.length; ) {
    const isFrame = bytes[at] === 0x2c;
    if (!isFrame && bytes[at] !== 0x21) break;
    if (isFrame) {
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
    }
    at += isFrame ? 11 + tableBytes(bytes[at + 9]!) : 2;
    while ((bytes[at] ?? 0) > 0) at += 1 + bytes[at]!;
    at += 1;
  }
  return { width, height };
}

/** The largest of the spatial extents (ISO 23008-12, 6.5.3): tiles have one too. */
function sizeInAvif(bytes: Buffer): Size | null {
  let largest: Size | null = null;
  for (let at = bytes.indexOf('ispe'); at >= 0; at = bytes.indexOf('ispe', at + 4)) {
    if (at + 16 > bytes.length) break;
    const size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

function sizeInWebp(bytes: Buffer, kind: string): Size | null {
  if (kind === 'VP8X') {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8 ') return null;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** Skips segments up to the frame header. ITU-T T.81, B.1.1.3: TEM and RSTn have no length. */
function sizeInJpeg(bytes: Buffer): Size | null {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    // Reserved markers and a second start or end: decoders disagree about what follows.
    if (marker < 0xc0 || marker === 0xd8 || marker === 0xd9) return null;
    // C0 to CF are frame headers, except the tables C4, C8 and CC.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
