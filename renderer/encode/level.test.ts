import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelFor } from './level.ts';

test('returns the lowest level for frame size and rate', () => {
  const expected = [
    [854, 480, 24, 30],
    [864, 496, 24, 31],
    [1280, 720, 24, 31],
    [1280, 720, 60, 32],
    [834, 1112, 24, 32],
    [1920, 1080, 24, 40],
    [1920, 1080, 60, 42],
    [2206, 946, 24, 42],
    [3840, 2160, 24, 51],
    [4398, 1886, 24, 51],
  ] as const;
  for (const [width, height, rate, level] of expected) {
    assert.equal(levelFor({ width, height }, rate), level, `${width}x${height} at ${rate}`);
  }
});
