import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { createMovingImage, createTransition } from './moving-image.ts';

const size = { width: 160, height: 90 };
const kinds = ['drift', 'pan', 'tilt', 'zoom', 'dolly', 'orbit', 'still'] as const;

function imageOf(hue: number): Canvas {
  const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  for (let x = 0; x < size.width; x += 8) {
    context.fillStyle = `hsl(${hue} 60% ${20 + (x % 60)}%)`;
    context.fillRect(x, 0, 8, size.height);
  }
  return context.canvas;
}

type Draw = (context: SKRSContext2D, second: number) => void;

function drawn(draw: Draw, second: number): Buffer {
  const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  context.fillStyle = '#f0f';
  context.fillRect(0, 0, size.width, size.height);
  draw(context, second);
  return Buffer.from(context.canvas.data());
}

const [green, blue] = [imageOf(120), imageOf(210)];

test('starts and ends at rest, moves between, and never shows an edge', () => {
  for (const kind of kinds) {
    for (const direction of [1, -1] as const) {
      for (const lastSecond of [1, 5, 30]) {
        const options = { move: { kind, direction, pace: 1.8 }, lastSecond };
        const one = createMovingImage(green, options).draw;
        const two = createTransition({ first: green, last: blue }, options).draw;
        const about = `${kind} ${direction}, ${lastSecond} s`;
        for (const draw of [one, two]) {
          assert.ok(drawn(draw, 0).equals(green.data()), `${about}: the first frame`);
          for (let at = 0; at <= 1; at += 0.125) {
            const pixels = drawn(draw, at * lastSecond);
            for (let pixel = 0; pixel < pixels.length; pixel += 4) {
              assert.ok(pixels[pixel]! < 160, `${about}: an edge at ${at}`);
            }
          }
        }
        assert.equal(drawn(one, lastSecond).equals(green.data()), kind === 'still', about);
        assert.ok(drawn(two, lastSecond).equals(blue.data()), `${about}: the last frame`);
      }
    }
  }
});
