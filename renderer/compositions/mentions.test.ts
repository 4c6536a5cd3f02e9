import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobMaterial, MaterialKind } from '../render-job.ts';
import { mentionedMaterials } from './mentions.ts';

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
