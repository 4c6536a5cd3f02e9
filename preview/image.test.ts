import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { loadPicture, sizeInHeader, UnusableImage } from './image.ts';
import { openScratch } from './testing/rendered.ts';

const canvas = createCanvas(40, 20);
const jpeg = canvas.toBuffer('image/jpeg');

/** The picture with EXIF data that say: turn it by a quarter. */
function turned(bytes: Buffer): Buffer {
  const exif = Buffer.from(
    'Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0',
    'latin1',
  );
  const segment = Buffer.concat([exif, Buffer.alloc(4)]);
  const head = Buffer.from([0xff, 0xe1, 0, segment.length + 2]);
  return Buffer.concat([bytes.subarray(0, 2), head, segment, bytes.subarray(2)]);
}

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('GIF89a');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

function bmp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('BM');
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  return bytes;
}

test('reads the size from the header of every accepted format', () => {
  const expected = { width: 40, height: 20 };
  assert.deepEqual(sizeInHeader(canvas.toBuffer('image/png')), expected);
  assert.deepEqual(sizeInHeader(jpeg), expected);
  assert.deepEqual(sizeInHeader(canvas.toBuffer('image/webp')), expected);
  assert.deepEqual(sizeInHeader(canvas.toBuffer('image/webp', 100)), expected);
  assert.deepEqual(sizeInHeader(gif(40, 20)), expected);
  assert.deepEqual(sizeInHeader(bmp(40, -20)), expected, 'upside down is allowed');
});

test('knows nothing of other formats and of broken headers', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"></svg>';
  for (const bytes of [
    Buffer.from(svg),
    Buffer.alloc(0),
    Buffer.alloc(5000),
    Buffer.concat([jpeg.subarray(0, 3), Buffer.alloc(200)]),
    Buffer.alloc(200, 0xff),
  ]) {
    assert.equal(sizeInHeader(bytes), null);
  }
});

test('holds a picture upright that was taken sideways', async () => {
  await using scratch = await openScratch();
  const file = join(scratch.folder, 'turned.jpg');
  await writeFile(file, turned(jpeg));
  const { width, height } = await loadPicture(file);
  assert.deepEqual([width, height], [20, 40]);
});

test('refuses a picture that claims too many pixels, without decoding it', async () => {
  await using scratch = await openScratch();
  const png = canvas.toBuffer('image/png');
  png.writeUInt32BE(50_000, 16);
  png.writeUInt32BE(50_000, 20);
  const damaged = canvas.toBuffer('image/png').fill(0, 36);
  for (const [name, bytes, reason] of [
    ['huge', png, /50000x50000 pixels/],
    ['empty', gif(0, 20), /without pixels/],
    ['damaged', damaged, /damaged/],
  ] as const) {
    const file = join(scratch.folder, name);
    await writeFile(file, bytes);
    await assert.rejects(loadPicture(file), (error) => {
      assert.ok(error instanceof UnusableImage);
      assert.match(error.message, reason);
      return true;
    });
  }
});
