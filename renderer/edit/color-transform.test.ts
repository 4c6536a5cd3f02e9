/**
 * Thorough: renders frames.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Color } from '../color.ts';
import { randomFrom } from '../random.ts';
import {
  type ColorTransform,
  chain,
  createGrader,
  levels,
  saturated,
  toned,
} from './color-transform.ts';

const size = { width: 64, height: 64 };
const plain = { size, vignette: 0, grain: 0, posterLevels: 0 };

function graded(
  transform: ColorTransform,
  color: Color,
  options: Partial<typeof plain> = {},
): Buffer {
  const from = Buffer.alloc(size.width * size.height * 4);
  for (let at = 0; at < from.length; at += 4) from.set([...color, 255], at);
  const to = new Uint8ClampedArray(from.length);
  createGrader(transform, { ...plain, random: randomFrom(1), ...options }).apply(from, to, 0);
  return Buffer.from(to.buffer);
}

function meanOf(pixels: Buffer, channel: number): number {
  let sum = 0;
  for (let at = channel; at < pixels.length; at += 4) sum += pixels[at]!;
  return sum / (pixels.length / 4);
}

test('the table matches its transform on average', () => {
  const transforms: readonly ColorTransform[] = [
    (color) => color,
    chain(saturated(0.4), levels({ gamma: 1.3, contrast: 0.4 })),
    toned('02040c 1d426f c4dcf5', 0.6),
  ];
  for (const transform of transforms) {
    for (const color of [
      [10, 20, 30],
      [200, 120, 40],
      [128, 128, 128],
      [250, 252, 255],
    ] as const) {
      const expected = transform(color);
      const pixels = graded(transform, color);
      for (const channel of [0, 1, 2]) {
        const mean = meanOf(pixels, channel);
        assert.ok(Math.abs(mean - expected[channel]!) < 2.5, `${color}: ${mean} ${expected}`);
      }
      assert.equal(meanOf(pixels, 3), 255, 'opaque');
    }
  }
});

test('posterizes to the given levels, and darkens only the corners', () => {
  const flat = graded((color) => color, [100, 100, 100], { posterLevels: 4 });
  assert.ok(new Set(flat.filter((_, at) => at % 4 === 0)).size <= 2);
  const shaded = graded((color) => color, [200, 200, 200], { vignette: 0.8 });
  const middle = (32 * size.width + 32) * 4;
  assert.ok(Math.abs(shaded[middle]! - 200) < 6);
  assert.ok(shaded[0]! < 80);
});
