/**
 * The size of an image from its first bytes, without decoding. Every loop moves forward, so the
 * work is linear in the bytes at hand. Null if the size is not among them.
 */
export type ImageSize = { readonly width: number; readonly height: number };

export function imageSizeOf(bytes: Uint8Array): ImageSize | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const name = head.toString('latin1', 0, 12);
  try {
    if (name.startsWith('\x89PNG'))
      return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
    if (name.startsWith('GIF8'))
      return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
    if (name.startsWith('BM')) return sizeInBmp(head);
    if (name.startsWith('\xff\xd8')) return sizeInJpeg(head);
    if (name.startsWith('RIFF') && name.endsWith('WEBP')) return sizeInWebp(head);
    if (name.slice(4, 8) === 'ftyp') return sizeInIsoImage(head);
    if (/^(II\*\0|MM\0\*)/.test(name)) return sizeInTiff(head);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function sizeInBmp(head: Buffer): ImageSize {
  // The oldest header has 16-bit sizes; a negative height means that rows begin at the top.
  if (head.readUInt32LE(14) === 12) {
    return { width: head.readUInt16LE(18), height: head.readUInt16LE(20) };
  }
  return { width: Math.abs(head.readInt32LE(18)), height: Math.abs(head.readInt32LE(22)) };
}

function sizeInWebp(head: Buffer): ImageSize | null {
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
function sizeInJpeg(head: Buffer): ImageSize | null {
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
function sizeInIsoImage(head: Buffer): ImageSize | null {
  let largest: ImageSize | null = null;
  for (let at = head.indexOf('ispe'); at >= 0; at = head.indexOf('ispe', at + 4)) {
    if (at + 16 > head.length) break;
    const size = { width: head.readUInt32BE(at + 8), height: head.readUInt32BE(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

/** The tags 256 and 257 of the first directory, if it is among the first bytes. */
function sizeInTiff(head: Buffer): ImageSize | null {
  const isLittle = head[0] === 0x49;
  const read16 = (at: number) => (isLittle ? head.readUInt16LE(at) : head.readUInt16BE(at));
  const read32 = (at: number) => (isLittle ? head.readUInt32LE(at) : head.readUInt32BE(at));
  const directory = read32(4);
  const values = new Map<number, number>();
  for (let entry = 0; entry < read16(directory); entry += 1) {
    const at = directory + 2 + entry * 12;
    const isShort = read16(at + 2) === 3;
    values.set(read16(at), isShort ? read16(at + 8) : read32(at + 8));
  }
  const [width, height] = [values.get(256), values.get(257)];
  return width === undefined || height === undefined ? null : { width, height };
}
