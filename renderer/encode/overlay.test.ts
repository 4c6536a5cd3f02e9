import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import type { Rect } from '../size.ts';
import { createOverlay } from './overlay.ts';
import { planesIn, planesLength, toPlanes } from './planes.ts';

test('blends a mark as a canvas does, in rows of any length', () => {
  const size = { width: 64, height: 36 };
  const rect: Rect = { x: 12, y: 8, width: 40, height: 20 };
  const picture = createCanvas(rect.width, rect.height);
  const colors = picture.getContext('2d');
  for (let at = 0; at < 20; at += 1) {
    colors.fillStyle = `hsl(${at * 47} 90% ${at * 5}% / ${(at % 5) / 4})`;
    colors.fillRect((at * 13) % 36, at - 3, 9, 7);
  }
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const ground = context.createLinearGradient(0, 0, size.width, size.height);
  ground.addColorStop(0, '#e31');
  ground.addColorStop(1, '#13e');
  context.fillStyle = ground;
  context.fillRect(0, 0, size.width, size.height);
  const planesOf = (rgba: Buffer) => {
    const values = new Uint8Array(planesLength(size));
    toPlanes(rgba, size, values);
    return planesIn(values, size);
  };
  const padded = planesOf(canvas.data()).map(({ values, stride }) => {
    const rows = new Uint8Array((values.length / stride) * (stride + 5));
    for (let at = 0; at < values.length; at += 1) {
      rows[Math.floor(at / stride) * (stride + 5) + (at % stride)] = values[at]!;
    }
    return { values: rows, stride: stride + 5 };
  });

  createOverlay([{ ...rect, rgba: picture.data() }])(padded, [0.7]);

  context.globalAlpha = 0.7;
  context.drawImage(picture, rect.x, rect.y);
  for (const [plane, { values, stride }] of planesOf(canvas.data()).entries()) {
    for (const [at, value] of values.entries()) {
      const seen = padded[plane]!.values[Math.floor(at / stride) * (stride + 5) + (at % stride)]!;
      assert.ok(Math.abs(seen - value) <= 2, `plane ${plane}, ${at}: ${seen}, not ${value}`);
    }
  }
});
