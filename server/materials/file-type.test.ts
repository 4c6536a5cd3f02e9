import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { imagesOf } from '../../proof/kit/image-headers.ts';
import { resultFramePath, resultVideoPath } from '../../proof/kit/result-server.ts';
import { decodableSizeOf, imageSizeOf } from '../../renderer/image-size.ts';
import { detectFileType, uploadFormatOf } from './file-type.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const padded = (text: string, bytes = 64) => Buffer.concat([latin1(text), Buffer.alloc(bytes)]);

/** A BMP header: 14 bytes of file header, then a header of the given length with a size. */
function bmp(headerBytes: number, [width, height]: readonly [number, number]): Buffer {
  const bytes = Buffer.alloc(60);
  bytes.write('BM');
  bytes.writeUInt32LE(headerBytes, 14);
  if (headerBytes === 12) {
    bytes.writeUInt16LE(width, 18);
    bytes.writeUInt16LE(height, 20);
  } else {
    bytes.writeInt32LE(width, 18);
    bytes.writeInt32LE(height, 22);
  }
  return bytes;
}

const rows: readonly (readonly [what: string, bytes: Uint8Array, media: string, name: string])[] = [
  ['GIF', latin1('GIF89a\x01\0\x01\0\0\0\0'), 'image', 'a GIF image'],
  ['BMP of today', bmp(40, [8, 8]), 'image', 'a BMP image'],
  ['BMP upside down', bmp(124, [8, -8]), 'image', 'a BMP image'],
  ['BMP of OS/2', bmp(12, [8, 8]), 'image', 'a BMP image'],
  ['lossy WebP', padded('RIFF\x24\0\0\0WEBPVP8 '), 'image', 'a WebP image'],
  ['WebP with features', padded('RIFF\x24\0\0\0WEBPVP8X'), 'image', 'a WebP image'],
  ['cut WebP', latin1('RIFF\x24\0\0\0WEBP'), 'none', 'a WebP file that is cut off'],
  ['MP4', padded('\0\0\0\x18ftypisom'), 'video', 'an MP4 file'],
  ['MP4 with a type box of 256 bytes', padded('\0\0\x01\0ftypmp42'), 'video', 'an MP4 file'],
  ['MOV', padded('\0\0\0\x14ftypqt  '), 'video', 'a MOV file'],
  ['old MOV', padded('\0\0\0\x08wide\0\0\0\0mdat'), 'video', 'a MOV file'],
  ['M4A', padded('\0\0\0\x18ftypM4A '), 'audio', 'an M4A file'],
  ['HEIC', padded('\0\0\0\x18ftypheic'), 'image', 'a HEIC image'],
  ['AVIF', padded('\0\0\0\x18ftypavif'), 'image', 'an AVIF image'],
  ['WebM', padded('\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm'), 'video', 'a WebM file'],
  ['MKV', padded('\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska'), 'video', 'an MKV file'],
  ['WAV', padded('RIFF\x24\0\0\0WAVEfmt '), 'audio', 'a WAV file'],
  ['AVI', padded('RIFF\x24\0\0\0AVI LIST'), 'none', 'an AVI video'],
  ['TIFF', padded('II*\0'), 'image', 'a TIFF image'],
  ['transport stream', Buffer.alloc(600, padded('G', 187)), 'none', 'an MPEG transport stream'],
  ['page', latin1('\n<!DOCTYPE html><p>hi'), 'none', 'text/html'],
  ['page after a byte order mark', latin1('\xef\xbb\xbf<html>'), 'none', 'text/html'],
  ['page after a comment', latin1('<!-- x --><html>'), 'none', 'text/html'],
  ['SVG', latin1('<svg viewBox="0 0 1 1"/>'), 'none', 'an SVG image'],
  ['SVG after a comment', latin1('<?xml?><!-- x --><svg/>'), 'none', 'an SVG image'],
  // A kilobyte of comments is read without backtracking, and does not hide what is behind it.
  ['empty comments', latin1('<!---->'.repeat(140)), 'none', 'text'],
  ['open comments', latin1('<!--'.repeat(250)), 'none', 'text'],
  ['XML with comments', latin1(`<?xml?>${'<!---->'.repeat(140)}`), 'none', 'an XML document'],
  ['XML with spaces', latin1(`<?xml ${' '.repeat(1000)}`), 'none', 'an XML document'],
  ['page after two comments', latin1('<!-- 1 -->\n<!-- 2 --> <html>'), 'none', 'text/html'],
  ['page in a comment', latin1('<!-- 1 --><!-- <html>'), 'none', 'text'],
  ['XML', latin1('<?xml version="1.0"?><Error/>'), 'none', 'an XML document'],
  ['JSON', latin1('{"error":"no"}'), 'none', 'text'],
  ['text in another script', Buffer.from('нет такого файла'), 'none', 'text'],
];

for (const [what, bytes, media, name] of rows) {
  test(`${what} is ${name}`, () => {
    assert.deepEqual(detectFileType(bytes), { media: media === 'none' ? null : media, name });
  });
}

test('detects the type of real files', async () => {
  const [video, frame] = await Promise.all([readFile(resultVideoPath), readFile(resultFramePath)]);
  assert.deepEqual(detectFileType(video), { media: 'video', name: 'an MP4 file' });
  assert.deepEqual(detectFileType(frame), { media: 'image', name: 'a JPEG image' });
});

test('leaves MP3 and AAC frames without a tag to the parser', () => {
  for (const start of ['\xff\xfb\x90\x64', '\xff\xf1\x50\x80']) {
    assert.equal(detectFileType(padded(start)), null);
  }
});

test('handles every truncated beginning of every type', () => {
  for (const [, bytes] of rows) {
    for (let length = 0; length < bytes.length; length += 1)
      detectFileType(bytes.subarray(0, length));
  }
});

const mp4 = '\0\0\0\x18ftypisom';
const webm = '\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm';

const uploadRows: readonly (readonly [
  what: string,
  bytes: string,
  declared: string,
  is: object,
])[] = [
  ['a JPEG declared as PNG', '\xff\xd8\xff\xe0', 'image/png', { media: 'image', extension: 'jpg' }],
  ['an MP4', mp4, 'video/mp4', { media: 'video', extension: 'mp4' }],
  ['an MP4 declared as audio', mp4, 'audio/mp4', { media: 'audio', extension: 'm4a' }],
  ['an MP4 declared as PNG', mp4, 'image/png', { media: 'video', extension: 'mp4' }],
  ['a WebM declared as audio', webm, 'audio/webm', { media: 'audio', extension: 'webm' }],
  [
    'MP3 frames without a tag',
    '\xff\xfb\x90\x64',
    'audio/mpeg',
    { media: 'audio', extension: 'mp3' },
  ],
  ['an MP3 without a declared type', 'ID3\x03', '', { media: 'audio', extension: 'mp3' }],
  [
    'an SVG image declared as PNG',
    '<svg viewBox="0 0 1 1"/>',
    'image/png',
    { foreign: 'an SVG image' },
  ],
  ['HEIC', '\0\0\0\x18ftypheic', 'image/png', { media: 'image', extension: 'heic' }],
];

for (const [description, bytes, contentType, expected] of uploadRows) {
  test(`${description}: ${JSON.stringify(expected)}`, () => {
    const found = uploadFormatOf(
      bytes.startsWith('<') ? Buffer.from(bytes) : padded(bytes),
      contentType,
    );
    assert.deepEqual(found, expected);
  });
}

test('rejects unknown types', () => {
  assert.deepEqual(uploadFormatOf(Buffer.alloc(2000, 7), 'video/mp4'), {
    foreign: 'of an unknown type',
  });
});

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const frame = (width: number, height: number): Buffer => {
  const bytes = bytesOf('ffc0 0011 08 0000 0000 03 012200 021101 031101');
  bytes.writeUInt16BE(height, 5);
  bytes.writeUInt16BE(width, 7);
  return bytes;
};

/**
 * Read with a length, FF01 would skip to the small frame. Decoders skip two bytes, then a comment,
 * and find the large one.
 */
function jpegWithHiddenFrame(): Buffer {
  const comment = Buffer.concat([bytesOf('fffe 0100'), Buffer.alloc(254)]);
  const hidden = Buffer.concat([comment, frame(23_000, 23_000)]);
  const skipped = 0xfffe + 2;
  const rest = Buffer.concat([frame(8, 8), Buffer.alloc(64)]);
  return Buffer.concat([
    bytesOf('ffd8 ff01'),
    hidden,
    Buffer.alloc(skipped - 2 - hidden.length),
    rest,
  ]);
}

test('JPEG markers without a length are skipped as the standard says', () => {
  const expected = { width: 23_000, height: 23_000 };
  const jpeg = Buffer.concat([jpegWithHiddenFrame(), Buffer.alloc(64)]);
  assert.deepEqual(imageSizeOf(jpeg), expected);
  const restart = Buffer.concat([bytesOf('ffd8 ffd0 ffd7 ff01'), frame(40, 20), Buffer.alloc(64)]);
  assert.deepEqual(imageSizeOf(restart), { width: 40, height: 20 });
  const start = Buffer.concat([
    bytesOf('ffd8 ffe0 0004 0000 ff01'),
    frame(40, 20),
    Buffer.alloc(9),
  ]);
  assert.deepEqual(imageSizeOf(start), { width: 40, height: 20 });
});

test('reserved markers and a second start give no size', () => {
  for (const marker of ['ff00', 'ff02', 'ffbf', 'ffd8', 'ffd9']) {
    const bytes = Buffer.concat([
      bytesOf(`ffd8 ${marker} 0004 0000`),
      frame(8, 8),
      Buffer.alloc(64),
    ]);
    assert.equal(imageSizeOf(bytes), null, marker);
  }
});

test('reads the size of every format that is accepted, and which of them renders decode', () => {
  for (const [name, bytes] of Object.entries(imagesOf(50_000))) {
    const size = { width: 50_000, height: 50_000 };
    assert.deepEqual(imageSizeOf(bytes), size, name);
    const isDecodable = /^(PNG|GIF|BMP|JPEG(?! XL)|WebP|AVIF)/.test(name);
    assert.deepEqual(decodableSizeOf(bytes), isDecodable ? size : null, name);
  }
});

test('reads the size of JPEG XL images in every form', () => {
  const sizes = [
    // Small with a ratio, small with a width, 9 bits with a ratio.
    ['ff0a ff01', { width: 512, height: 256 }],
    ['ff0a 0130', { width: 200, height: 8 }],
    ['ff0a 3812', { width: 72, height: 72 }],
  ] as const;
  for (const [hex, size] of sizes) assert.deepEqual(imageSizeOf(bytesOf(hex)), size, hex);
});

test('bytes that end early give no size, wherever they end', () => {
  const files = [jpegWithHiddenFrame().subarray(0, 400), bytesOf('49492a00 08000000 0200 0001')];
  for (const file of files) {
    for (let end = 0; end < file.length; end += 1) imageSizeOf(file.subarray(0, end));
  }
  assert.equal(imageSizeOf(Buffer.alloc(0)), null);
});
