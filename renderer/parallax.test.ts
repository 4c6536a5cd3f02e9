/**
 * Thorough: renders frames.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { createParallax, createTransition } from './parallax.ts';
import { noiseFrom, randomFrom } from './random.ts';
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

const small = { width: 240, height: 180 };

function plain(color: string) {
  const canvas = createCanvas(small.width, small.height);
  const context = canvas.getContext('2d', { alpha: false });
  context.fillStyle = color;
  context.fillRect(0, 0, small.width, small.height);
  return canvas;
}

test('starts on the first image and ends on the last, pixel for pixel', () => {
  for (const [kind, lastSecond] of [
    ['drift', 3.96],
    ['zoom', 0.7],
    ['dolly', 4.96],
    ['orbit', 29.96],
    ['still', 3.96],
  ] as const) {
    const [first, last] = [landscapeOf(small), plain('#884422')];
    const canvas = createCanvas(small.width, small.height);
    const context = canvas.getContext('2d', { alpha: false });
    const move = { kind, direction: -1, pace: 1.8 } as const;
    const noise = noiseFrom(randomFrom(1));
    const transition = createTransition({ first, last }, { move, lastSecond, noise });
    transition.draw(context, 0);
    assert.ok(canvas.data().equals(first.data()), `${kind} begins`);
    transition.draw(context, lastSecond / 2);
    transition.draw(context, lastSecond);
    assert.ok(canvas.data().equals(last.data()), `${kind} ends`);
  }
});

test('changes evenly from one to the other, without a hard border', () => {
  const canvas = createCanvas(small.width, small.height);
  const context = canvas.getContext('2d', { alpha: false });
  const transition = createTransition(
    { first: plain('#000000'), last: plain('#ffffff') },
    {
      move: { kind: 'drift', direction: 1, pace: 1 },
      lastSecond: 4,
      noise: noiseFrom(randomFrom(1)),
    },
  );
  let before = -1;
  for (let second = 0; second <= 4; second += 0.25) {
    transition.draw(context, second);
    const pixels = canvas.data();
    let [sum, steepest] = [0, 0];
    for (let at = 0; at < pixels.length - 4; at += 4) {
      sum += pixels[at]!;
      if ((at / 4 + 1) % small.width === 0) continue;
      steepest = Math.max(steepest, Math.abs(pixels[at]! - pixels[at + 4]!));
    }
    const mean = sum / (pixels.length / 4);
    assert.ok(mean >= before, `not back at ${second} s`);
    assert.ok(steepest < 32, `a step of ${steepest} at ${second} s`);
    before = mean;
  }
});
