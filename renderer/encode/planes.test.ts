import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planesLength, toPlanes } from './planes.ts';

const size = { width: 6, height: 4 };

function planesOf(color: readonly [number, number, number]): number[] {
  const planes = new Uint8Array(planesLength(size));
  const pixels = Array.from({ length: 24 }, () => [...color, 255]).flat();
  toPlanes(Uint8Array.from(pixels), size, planes);
  assert.equal(new Set(planes.subarray(0, 24)).size, 1);
  assert.equal(new Set(planes.subarray(24, 30)).size, 1);
  assert.equal(new Set(planes.subarray(30)).size, 1);
  return [planes[0]!, planes[24]!, planes[30]!];
}

test('converts colors to bt709 limited range', () => {
  // The 100 % bars of ITU-R BT.709, 8 bits.
  assert.deepEqual(planesOf([0, 0, 0]), [16, 128, 128]);
  assert.deepEqual(planesOf([255, 255, 255]), [235, 128, 128]);
  assert.deepEqual(planesOf([128, 128, 128]), [126, 128, 128]);
  assert.deepEqual(planesOf([255, 0, 0]), [63, 102, 240]);
  assert.deepEqual(planesOf([0, 255, 0]), [173, 42, 26]);
  assert.deepEqual(planesOf([0, 0, 255]), [32, 240, 118]);
});

test('keeps luma per pixel, and averages chroma over four', () => {
  const rgba = new Uint8Array(size.width * size.height * 4);
  // White at the right end of the first row: a quarter of the last square.
  rgba.fill(255, 20, 24);
  const planes = new Uint8Array(planesLength(size));
  toPlanes(rgba, size, planes);
  assert.deepEqual([...planes.subarray(0, 12)], [16, 16, 16, 16, 16, 235, ...Array(6).fill(16)]);
  // Blue at one pixel of the second square.
  rgba.fill(0);
  rgba[8 + 2] = 255;
  toPlanes(rgba, size, planes);
  assert.deepEqual([...planes.subarray(24, 27)], [128, 156, 128]);
});
