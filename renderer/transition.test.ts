import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { noiseFrom, randomFrom } from './random.ts';
import { landscapeOf } from './testing/stills.ts';
import { createTransition } from './transition.ts';

const size = { width: 240, height: 180 };

function plain(color: string) {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  context.fillStyle = color;
  context.fillRect(0, 0, size.width, size.height);
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
    const [first, last] = [landscapeOf(size), plain('#884422')];
    const canvas = createCanvas(size.width, size.height);
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
  const canvas = createCanvas(size.width, size.height);
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
      if ((at / 4 + 1) % size.width === 0) continue;
      steepest = Math.max(steepest, Math.abs(pixels[at]! - pixels[at + 4]!));
    }
    const mean = sum / (pixels.length / 4);
    assert.ok(mean >= before, `not back at ${second} s`);
    assert.ok(steepest < 32, `a step of ${steepest} at ${second} s`);
    before = mean;
  }
});
