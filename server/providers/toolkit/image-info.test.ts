import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import fc from 'fast-check';
import { resultFramePath } from '../../../proof/kit/result-server.ts';
import { readImageInfo } from './image-info.ts';

const canvas = createCanvas(34, 21);

test('knows what real encoders write, and its size', async () => {
  const images = {
    png: [await canvas.encode('png'), 'png'],
    jpeg: [await canvas.encode('jpeg'), 'jpg'],
    webp: [await canvas.encode('webp'), 'webp'],
  } as const;
  for (const [kind, [bytes, extension]] of Object.entries(images)) {
    const shape = { width: 34, height: 21 };
    assert.deepEqual(readImageInfo(bytes), { contentType: `image/${kind}`, extension, shape });
  }
});

test('finds the size of a JPEG behind what a camera puts before it', () => {
  const file = readFileSync(resultFramePath);
  const notes = Buffer.alloc(2 + 60_000);
  notes.set([0xff, 0xe1, 60_000 >> 8, 60_000 & 0xff]);
  const withNotes = Buffer.concat([file.subarray(0, 2), notes, file.subarray(2)]);
  assert.deepEqual(readImageInfo(withNotes)?.shape, readImageInfo(file)?.shape);
  assert.deepEqual(readImageInfo(file)?.shape, { width: 320, height: 180 });
});

/** A header as the format's own description has it. */
function header(start: string, numbers: readonly (readonly [at: number, byte: number])[]): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write(start, 'latin1');
  for (const [at, byte] of numbers) bytes[at] = byte;
  return bytes;
}

test('reads each way to write a WebP, and GIF and BMP', () => {
  const webp = (chunk: string) => `RIFF\x00\x00\x00\x00WEBP${chunk}`;
  const shape = { width: 34, height: 21 };
  const headers = [
    header(webp('VP8 '), [
      [26, 34],
      [28, 21],
    ]),
    // 14 bits each, one less than the side.
    header(webp('VP8L'), [
      [20, 0x2f],
      [21, 33],
      [23, 20 >> 2],
      [22, (20 & 3) << 6],
    ]),
    header(webp('VP8X'), [
      [24, 33],
      [27, 20],
    ]),
    header('GIF89a', [
      [6, 34],
      [8, 21],
    ]),
    header('BM', [
      [14, 40],
      [18, 34],
      [22, 21],
    ]),
  ];
  for (const bytes of headers) {
    assert.deepEqual(readImageInfo(bytes)?.shape, shape, bytes.toString('latin1'));
  }
});

test('takes a picture whose size it cannot find for a picture all the same', async () => {
  assert.deepEqual(readImageInfo((await canvas.encode('png')).subarray(0, 20))?.shape, null);
  assert.deepEqual(readImageInfo(Buffer.from('\xff\xd8\xff\xe0', 'latin1'))?.shape, null);
  assert.deepEqual(readImageInfo(header('GIF89a', []))?.shape, null, 'no pixels, no shape');
});

test('calls nothing else a picture, and never throws', () => {
  for (const text of ['', '<html>', '%PDF-1.7', 'BM', 'RIFF0000AVI LIST', '{"error":"no"}']) {
    assert.equal(readImageInfo(Buffer.from(text)), null, text);
  }
  const starts = [
    '',
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff',
    'GIF89a',
    'RIFF\x00\x00\x00\x00WEBP',
    'BM',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }), (start, rest) => {
      readImageInfo(Buffer.concat([Buffer.from(start, 'latin1'), rest]));
    }),
  );
});
