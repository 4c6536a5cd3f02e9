/** Square images of any size and no pixels, in every format that has such sizes. */
import { createCanvas } from '@napi-rs/canvas';
import { box } from './hostile-file.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

export function imagesOf(side: number): Readonly<Record<string, Buffer>> {
  const codestream = jpegXlOf(side);
  const types = box('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1'));
  const signature = box('JXL ', hex('0d0a 870a'));
  const container = [signature, types, box('Exif', Buffer.alloc(200_000))];
  return {
    PNG: pngOf(side),
    'GIF with a frame larger than its screen': gifOf(side),
    'GIF with a long comment': gifOf(side, 200_000),
    JPEG: jpegOf(side),
    'JPEG with metadata': jpegOf(side, { metadataBytes: 300_000 }),
    HEIC: isoImageOf('heic', side),
    'AVIF with metadata': isoImageOf('avif', side, 200_000),
    TIFF: tiffOf(side),
    'TIFF with its directory last': tiffOf(side, 200_000),
    'JPEG XL': codestream,
    'JPEG XL in a container': Buffer.concat([...container, box('jxlc', codestream)]),
    'JPEG XL in parts': Buffer.concat([
      ...container,
      box('jxlp', Buffer.concat([Buffer.alloc(4), codestream])),
    ]),
  };
}

function pngOf(side: number): Buffer {
  const png = createCanvas(8, 8).toBuffer('image/png');
  png.writeUInt32BE(side, 16);
  png.writeUInt32BE(side, 20);
  return png;
}

/** The screen has one pixel, the second of its frames all of them. */
function gifOf(side: number, commentBytes = 0): Buffer {
  const frame = (width: number) => {
    const bytes = hex('2c 0000 0000 0000 0000 00 02 02 4c01 00');
    bytes.writeUInt16LE(width, 5);
    bytes.writeUInt16LE(width, 7);
    return bytes;
  };
  const block = Buffer.concat([hex('ff'), Buffer.alloc(255)]);
  const blocks = Array<Buffer>(Math.ceil(commentBytes / block.length)).fill(block);
  const comment = Buffer.concat([hex('21fe'), ...blocks, hex('00')]);
  const screen = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0......', 'latin1');
  return Buffer.concat([screen, comment, frame(1), hex('21f9 04 00000000 00'), frame(side)]);
}

export function jpegOf(side: number, { metadataBytes = 0 } = {}): Buffer {
  const segment = Buffer.concat([hex('ffe1 fffe'), Buffer.alloc(0xfffc)]);
  const frame = hex('ffc0 0011 08 0000 0000 03 012200 021101 031101');
  frame.writeUInt16BE(side, 5);
  frame.writeUInt16BE(side, 7);
  const segments = Array<Buffer>(Math.ceil(metadataBytes / segment.length)).fill(segment);
  return Buffer.concat([hex('ffd8'), ...segments, frame, Buffer.alloc(64)]);
}

function isoImageOf(brand: string, side: number, metadataBytes = 0): Buffer {
  const extentOf = (pixels: number) =>
    box('ispe', hex(`00000000${pixels.toString(16).padStart(8, '0').repeat(2)}`));
  // The first is that of a tile.
  const extents = Buffer.concat([extentOf(512), extentOf(side)]);
  const properties = box('iprp', box('ipco', extents));
  const meta = box('meta', Buffer.concat([Buffer.alloc(4), properties]));
  const types = box('ftyp', Buffer.from(`${brand}\0\0\0\0mif1${brand}`, 'latin1'));
  return Buffer.concat([types, box('free', Buffer.alloc(metadataBytes)), meta]);
}

function tiffOf(side: number, pixelBytes = 0): Buffer {
  const head = hex('49492a00 00000000');
  head.writeUInt32LE(8 + pixelBytes, 4);
  const directory = hex('0200 0001 0400 01000000 00000000 0101 0400 01000000 00000000');
  directory.writeUInt32LE(side, 10);
  directory.writeUInt32LE(side, 22);
  return Buffer.concat([head, Buffer.alloc(pixelBytes), directory]);
}

/** Not small, a height of 18 bits, and the ratio of a square; lowest bit first. */
function jpegXlOf(side: number): Buffer {
  const bits = BigInt(side - 1) * 8n + 0b100n + (1n << 21n);
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16BE(0xff0a);
  bytes.writeBigUInt64LE(bits, 2);
  return bytes;
}
