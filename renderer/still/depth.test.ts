import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { landscapeOf } from '../testing/stills.ts';
import { depthOf } from './depth.ts';
import { valueAt } from './plane.ts';

test('estimates the sky as far, the ground as near, and objects as upright', () => {
  const { plane } = depthOf(landscapeOf({ width: 640, height: 360 }));
  const at = (across: number, down: number): number => valueAt(plane, across, down);
  assert.ok(at(0.2, 0.1) < 0.2, 'the sky is far');
  assert.ok(at(0.2, 0.95) > 0.7, 'the ground close by is near');
  const [head, foot] = [at(0.53, 0.62), at(0.53, 0.95)];
  assert.ok(foot - head < 0.35, `a post leans from ${head} to ${foot}`);
  assert.ok(head > at(0.2, 0.62), 'and is in front of its background');
});

test('is never so steep that a warped image could tear', () => {
  const canvas = createCanvas(300, 200);
  const context = canvas.getContext('2d', { alpha: false });
  for (let at = 0; at < 400; at += 1) {
    context.fillStyle = `hsl(${(at * 77) % 360},80%,${(at * 31) % 100}%)`;
    context.fillRect((at * 53) % 300, (at * 91) % 200, 20, 14);
  }
  const { width, values } = depthOf(canvas).plane;
  for (let at = 1; at < values.length; at += 1) {
    assert.ok(values[at]! >= -0.01 && values[at]! <= 1.01);
    if (at % width > 0) assert.ok(Math.abs(values[at]! - values[at - 1]!) < 0.08);
    if (at >= width) assert.ok(Math.abs(values[at]! - values[at - width]!) < 0.08);
  }
});

test('keeps a page, a plain color and a single pixel flat', () => {
  for (const [width, height] of [
    [300, 400],
    [1, 1],
    [2000, 3],
  ] as const) {
    const page = createCanvas(width, height);
    const context = page.getContext('2d', { alpha: false });
    context.fillStyle = '#fdfcf8';
    context.fillRect(0, 0, width, height);
    context.fillStyle = '#111';
    for (let line = 40; line < height - 40; line += 24) context.fillRect(30, line, 200, 6);
    const { plane } = depthOf(page);
    const sorted = plane.values.toSorted();
    assert.ok(sorted.at(-1)! - sorted[0]! < 0.4, `${width}x${height}`);
    assert.ok(plane.values.every(Number.isFinite));
  }
});
