import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobMaterial, MaterialKind } from '../render-job.ts';
import { namedIn, stageShare, turnsFor } from './spotlight-order.ts';

const material = (kind: MaterialKind, index: number): JobMaterial => ({
  ...{ kind, index, file: null, title: 'cdn.example.test/one' },
});
const materials = [
  ...[0, 1, 2].map((index) => material('image', index)),
  ...[0, 1].map((index) => material('video', index)),
  material('audio', 0),
];

test('knows which materials a prompt names, in the order it names them', () => {
  for (const [prompt, places] of [
    ['The cat of @Image2 meets @Image 1', [1, 0]],
    ['image #3, then video 2 over audio-1; image 3 again', [2, 4, 5]],
    ['Take the second picture and the first clip', [1, 3]],
    ['让图2里的人走进图片 1', [1, 0]],
    ['Image 9, image 0, video 12 and imagery 1', []],
    ['A first day', []],
  ] as const) {
    assert.deepEqual(namedIn(prompt, materials), places, prompt);
  }
});

test('gives every one of a few its turn, and those that are named theirs', () => {
  const time = { from: 1.5, lastSecond: 5 };
  const turns = turnsFor({ named: [], others: [0, 1, 2] }, time);
  assert.deepEqual(
    turns.map(({ card }) => card),
    [0, 1, 2],
  );
  assert.ok(turns[0]!.from >= time.from && turns.at(-1)!.to < time.lastSecond);
  const named = turnsFor({ named: [7, 2], others: [0, 1, 2, 3, 4, 5, 6, 7] }, time);
  assert.deepEqual(
    named.map(({ card }) => card),
    [7, 2],
  );
});

test('hurries nobody: without time for all, none comes forward', () => {
  const time = { from: 1.5, lastSecond: 4 };
  assert.deepEqual(turnsFor({ named: [], others: [0, 1, 2, 3, 4, 5] }, time), []);
  assert.deepEqual(
    turnsFor({ named: [], others: Array.from({ length: 30 }).map((_, at) => at) }, time),
    [],
  );
});

test('a card comes forward in its turn and is back before the last frame', () => {
  const [turn] = turnsFor({ named: [], others: [0, 1, 2] }, { from: 1, lastSecond: 8 });
  assert.equal(stageShare(turn, 0.9), 0);
  assert.equal(stageShare(turn, (turn!.from + turn!.to) / 2), 1);
  assert.equal(stageShare(turn, turn!.to + 0.5), 0);
  assert.equal(stageShare(undefined, 3), 0);
});
