import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobMaterial, MaterialKind } from '../render-job.ts';
import { mentionedMaterials, spotlightShare, spotlightSlots } from './spotlight.ts';

const material = (kind: MaterialKind, index: number): JobMaterial => ({
  ...{ kind, index, file: null, title: 'cdn.example.test/one' },
});
const materials = [
  ...[0, 1, 2].map((index) => material('image', index)),
  ...[0, 1].map((index) => material('video', index)),
  material('audio', 0),
];

test('finds the materials that a prompt mentions, in order', () => {
  for (const [prompt, places] of [
    ['The cat of @Image2 meets @Image 1', [1, 0]],
    ['image #3, then video 2 over audio-1; image 3 again', [2, 4, 5]],
    ['Take the second picture and the first clip', [1, 3]],
    ['让图2里的人走进图片 1', [1, 0]],
    ['Image 9, image 0, video 12 and imagery 1', []],
    ['A first day', []],
  ] as const) {
    assert.deepEqual(mentionedMaterials(prompt, materials), places, prompt);
  }
});

test('enlarges each of a few references, or only the mentioned ones', () => {
  const time = { from: 1.5, lastSecond: 5 };
  const slots = spotlightSlots({ mentioned: [], others: [0, 1, 2] }, time);
  assert.deepEqual(
    slots.map(({ card }) => card),
    [0, 1, 2],
  );
  assert.ok(slots[0]!.from >= time.from && slots.at(-1)!.to < time.lastSecond);
  const mentioned = spotlightSlots({ mentioned: [7, 2], others: [0, 1, 2, 3, 4, 5, 6, 7] }, time);
  assert.deepEqual(
    mentioned.map(({ card }) => card),
    [7, 2],
  );
});

test('enlarges none when there is not enough time for all', () => {
  const time = { from: 1.5, lastSecond: 4 };
  assert.deepEqual(spotlightSlots({ mentioned: [], others: [0, 1, 2, 3, 4, 5] }, time), []);
  assert.deepEqual(
    spotlightSlots({ mentioned: [], others: Array.from({ length: 30 }).map((_, at) => at) }, time),
    [],
  );
});

test('enlarges a card in its slot and returns it before the last frame', () => {
  const [slot] = spotlightSlots({ mentioned: [], others: [0, 1, 2] }, { from: 1, lastSecond: 8 });
  assert.equal(spotlightShare(slot, 0.9), 0);
  assert.equal(spotlightShare(slot, (slot!.from + slot!.to) / 2), 1);
  assert.equal(spotlightShare(slot, slot!.to + 0.5), 0);
  assert.equal(spotlightShare(undefined, 3), 0);
});
