/**
 * Malicious images: they claim more pixels than there is memory, unpack to more than they claim,
 * never end, or are not images.
 */
import { crc32, deflateSync } from 'node:zlib';
import { filesOf, type HostileFile } from './hostile-file.ts';

const image = filesOf('image');

export const hostileImages = (): HostileFile[] => [
  ...pngs(),
  ...jpegs(),
  ...webps(),
  ...gifs(),
  ...bmps(),
];

const chunk = (name: string, content: Buffer): Buffer => {
  const typedContent = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const bytes = Buffer.alloc(typedContent.length + 8);
  bytes.writeUInt32BE(content.length, 0);
  typedContent.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(typedContent), typedContent.length + 4);
  return bytes;
};

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Grayscale with one bit per pixel: the fewest bytes for an image of that size. */
function pngHeader(width: number, height: number): Buffer {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  content[8] = 1;
  return Buffer.concat([signature, chunk('IHDR', content)]);
}

type Pixels = { readonly before?: Buffer; readonly pixels?: number };

function png(
  width: number,
  height: number,
  { before = Buffer.alloc(0), pixels = 0 }: Pixels = {},
): Buffer {
  const bytes = pixels || height * (Math.ceil(width / 8) + 1);
  const data = chunk('IDAT', deflateSync(Buffer.alloc(bytes)));
  return Buffer.concat([pngHeader(width, height), before, data, chunk('IEND', Buffer.alloc(0))]);
}

function pngs(): HostileFile[] {
  const cut = pngHeader(1, 1);
  const profile = Buffer.concat([Buffer.from('bomb\0\0'), deflateSync(Buffer.alloc(64e6))]);
  return [
    image('png of 2 billion by 2 billion pixels', pngHeader(0x7fffffff, 0x7fffffff), 'refused'),
    image('png that unpacks to more than it says', png(16, 16, { pixels: 64e6 }), 'taken'),
    image('png of 6,900 by 6,900 pixels in 6 KB', png(6_900, 6_900), 'taken'),
    image('png with less than it says', png(4_000, 4_000, { pixels: 1000 }), 'taken'),
    image('png with a 64 MB profile', png(8, 8, { before: chunk('iCCP', profile) }), 'taken'),
    image('png without pixels', Buffer.concat([pngHeader(0, 100), Buffer.alloc(30)]), 'refused'),
    image('png cut after its header', cut, 'undecodable'),
  ];
}

function jpegs(): HostileFile[] {
  const frame = Buffer.from('ffc0001108ffffffff03012200021101031101', 'hex');
  const table = Buffer.concat([Buffer.from('ffdb0043', 'hex'), Buffer.alloc(65, 1)]);
  const scan = Buffer.from('ffda000c03010002110311003f00', 'hex');
  const start = Buffer.from('ffd8', 'hex');
  const comments = Buffer.alloc(400_000, Buffer.from('fffe0002', 'hex'));
  const huge = Buffer.concat([start, table, frame, scan]);
  const astray = Buffer.from('ffd8ffe10000ffe10000', 'hex');
  const random = Buffer.concat([start, Buffer.from('ffe0', 'hex'), noise(9e4)]);
  return [
    image('jpeg of 65,535 by 65,535 pixels', huge, 'refused'),
    image('jpeg of 100,000 comments', Buffer.concat([start, comments]), 'undecodable'),
    image('jpeg whose segments lead nowhere', astray, 'undecodable'),
    image('jpeg of noise', random, 'undecodable'),
  ];
}

const noise = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7919 + (at >> 7) * 31) % 251));

function webps(): HostileFile[] {
  const webp = (kind: string, content: Buffer): Buffer => {
    const head = Buffer.alloc(20);
    head.write('RIFF', 0, 'latin1');
    head.writeUInt32LE(content.length + 12, 4);
    head.write(`WEBP${kind}`, 8, 'latin1');
    head.writeUInt32LE(content.length, 16);
    return Buffer.concat([head, content]);
  };
  const canvas = Buffer.from('02000000ffffffffffff', 'hex');
  const lossless = Buffer.concat([Buffer.from('2fffffff0f', 'hex'), Buffer.alloc(2000)]);
  return [
    image('webp of 16 million by 16 million pixels', webp('VP8X', canvas), 'refused'),
    image('webp of 16,384 by 16,384 pixels in 2 KB', webp('VP8L', lossless), 'refused'),
    image('webp of nothing', webp('VP8 ', Buffer.alloc(10)), 'undecodable'),
  ];
}

function gifs(): HostileFile[] {
  const gif = (width: number, height: number, rest: Buffer): Buffer => {
    const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
    head.writeUInt16LE(width, 6);
    head.writeUInt16LE(height, 8);
    return Buffer.concat([head, rest]);
  };
  const frameOf = (width: number, height: number): Buffer => {
    const frame = Buffer.from('2c000000000000000000', 'hex');
    frame.writeUInt16LE(width, 5);
    frame.writeUInt16LE(height, 7);
    return Buffer.concat([frame, Buffer.from('02024401' + '00', 'hex')]);
  };
  const end = Buffer.from(';');
  const frames = Buffer.concat(Array.from({ length: 50_000 }, () => frameOf(1, 1)));
  const loop = Buffer.alloc(200_000, Buffer.from('0102', 'hex'));
  const endless = gif(64, 64, Buffer.concat([frameOf(64, 64), loop]));
  const huge = gif(65_535, 65_535, frameOf(65_535, 65_535));
  return [
    image('gif without pixels', Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1'), 'refused'),
    image('gif of 65,535 by 65,535 pixels', huge, 'refused'),
    image('gif of 50,000 frames', gif(2_000, 2_000, Buffer.concat([frames, end])), 'taken'),
    image('gif whose blocks never end', endless, 'taken'),
    image('gif that is only a header', gif(64, 64, Buffer.alloc(0)), 'undecodable'),
  ];
}

function bmps(): HostileFile[] {
  const bmp = (width: number, height: number, pixelsAt = 54): Buffer => {
    const head = Buffer.alloc(54 + 64);
    head.write('BM', 0, 'latin1');
    head.writeUInt32LE(head.length, 2);
    head.writeUInt32LE(pixelsAt, 10);
    head.writeUInt32LE(40, 14);
    head.writeInt32LE(width, 18);
    head.writeInt32LE(height, 22);
    head.writeUInt16LE(1, 26);
    head.writeUInt16LE(32, 28);
    return head;
  };
  return [
    image('bmp of 2 billion by 2 billion pixels', bmp(0x7fffffff, -0x7fffffff), 'refused'),
    image('bmp of 6,900 by 6,900 pixels in 118 bytes', bmp(6_900, 6_900), 'taken'),
    image('bmp whose pixels lie beyond its end', bmp(4, 4, 0xfffffff0), 'undecodable'),
  ];
}
