import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { createParallax } from './parallax.ts';
import { landscapeOf } from './testing/stills.ts';

const size = { width: 320, height: 180 };
const drift = { kind: 'drift', direction: 1, pace: 1 } as const;
const lastSecond = 4;

function canvasAnd() {
  const canvas = createCanvas(size.width, size.height);
  return { context: canvas.getContext('2d'), pixels: () => Buffer.from(canvas.data()) };
}

test('starts on the image, pixel for pixel, and then moves', () => {
  const picture = landscapeOf(size);
  const { context, pixels } = canvasAnd();
  const parallax = createParallax(picture, { move: drift, lastSecond });
  parallax.draw(context, 0);
  assert.ok(pixels().equals(picture.data()));
  parallax.draw(context, 2);
  assert.ok(!pixels().equals(picture.data()));
});

test('a still camera does not move', () => {
  const picture = landscapeOf(size);
  const { context, pixels } = canvasAnd();
  createParallax(picture, { move: { ...drift, kind: 'still' }, lastSecond }).draw(context, 3);
  assert.ok(pixels().equals(picture.data()));
});

test('near parts move more than far parts', () => {
  const { context, pixels } = canvasAnd();
  const move = { kind: 'pan', direction: 1, pace: 1 } as const;
  createParallax(landscapeOf(size), { move, lastSecond }).draw(context, lastSecond);
  const [before, after] = [Buffer.from(landscapeOf(size).data()), pixels()];
  // The left edges of the far tower and of the near post.
  const moved = (row: number): number =>
    edgeOf(before, row * size.height) - edgeOf(after, row * size.height);
  assert.ok(moved(0.86) > moved(0.45) + 3, `${moved(0.86)} and ${moved(0.45)} pixels`);
});

/** The first red pixel of a row. */
function edgeOf(pixels: Buffer, row: number): number {
  const start = Math.round(row) * size.width * 4;
  for (let x = 0; x < size.width; x += 1) {
    const at = start + x * 4;
    if (pixels[at]! > 150 && pixels[at + 1]! < 90) return x;
  }
  return assert.fail(`nothing red in row ${row}`);
}
