import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imagesOf } from '../../proof/kit/image-headers.ts';
import { sizeInHeader } from '../../renderer/image-size.ts';
import { readMediaInfo } from '../providers/toolkit/media-info.ts';
import { imageSizeOf } from './image-size.ts';

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

test('JPEG markers without a length are skipped as the standard says, by all three readers', () => {
  const expected = { width: 23_000, height: 23_000 };
  const jpeg = Buffer.concat([jpegWithHiddenFrame(), Buffer.alloc(64)]);
  assert.deepEqual(imageSizeOf(jpeg), expected);
  assert.deepEqual(sizeInHeader(jpeg), expected);
  const restart = Buffer.concat([bytesOf('ffd8 ffd0 ffd7 ff01'), frame(40, 20), Buffer.alloc(64)]);
  assert.deepEqual(imageSizeOf(restart), { width: 40, height: 20 });
  const start = Buffer.concat([
    bytesOf('ffd8 ffe0 0004 0000 ff01'),
    frame(40, 20),
    Buffer.alloc(9),
  ]);
  assert.deepEqual(readMediaInfo(start, 'image')?.shape, { width: 40, height: 20 });
});

test('reserved markers and a second start give no size', () => {
  for (const marker of ['ff00', 'ff02', 'ffbf', 'ffd8', 'ffd9']) {
    const bytes = Buffer.concat([
      bytesOf(`ffd8 ${marker} 0004 0000`),
      frame(8, 8),
      Buffer.alloc(64),
    ]);
    assert.equal(imageSizeOf(bytes), null, marker);
    assert.equal(sizeInHeader(bytes), null, marker);
  }
});

test('reads the size of every format that is accepted, as the renderer does', () => {
  for (const [name, bytes] of Object.entries(imagesOf(50_000))) {
    const size = { width: 50_000, height: 50_000 };
    assert.deepEqual(imageSizeOf(bytes), size, name);
    if (/^(PNG|GIF|JPEG$|AVIF)/.test(name)) assert.deepEqual(sizeInHeader(bytes), size, name);
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
