import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AspectRatio,
  aspectRatios,
  type ModelName,
  modelNames,
  type Resolution,
  resolutions,
} from '@vidgen/contract/models.ts';
import { sizeOf } from './size.ts';

const sizeIn = (
  [model, resolution, aspectRatio]: readonly [ModelName, Resolution, AspectRatio],
  given: readonly [number, number] | null = null,
): string => {
  const shape = given && { width: given[0], height: given[1] };
  const { width, height } = sizeOf({ model, resolution, aspectRatio }, shape);
  return `${width}x${height}`;
};

test('matches the sizes of the upstream models', () => {
  const expected = [
    [['vidgen-2-0-mini', '480p', '16:9'], '864x496'],
    [['vidgen-2-0', '480p', '9:16'], '496x864'],
    [['vidgen-2-5', '480p', '16:9'], '854x480'],
    [['vidgen-2-5', '480p', '9:16'], '480x854'],
    [['vidgen-2-5', '480p', '1:1'], '640x640'],
    [['vidgen-2-5', '720p', '16:9'], '1280x720'],
    [['vidgen-2-0', '720p', '21:9'], '1470x630'],
    [['vidgen-2-5', '1080p', '3:4'], '1248x1664'],
    [['vidgen-2-0', '4k', '16:9'], '3840x2160'],
    [['vidgen-2-0', '4k', '4:3'], '3326x2494'],
  ] as const;
  for (const [request, size] of expected) assert.equal(sizeIn(request), size, request.join(' '));
});

test('every side is even for any request', () => {
  for (const model of modelNames) {
    for (const resolution of resolutions) {
      for (const ratio of aspectRatios) {
        for (const image of [null, [1, 5000], [5000, 1], [333, 334], [1001, 777]] as const) {
          const [width, height] = sizeIn([model, resolution, ratio], image).split('x').map(Number);
          assert.equal(width! % 2, 0);
          assert.equal(height! % 2, 0);
        }
      }
    }
  }
});

test('adaptive follows the aspect ratio of the given size', () => {
  const adaptive = ['vidgen-2-5', '720p', 'adaptive'] as const;
  assert.equal(sizeIn(adaptive), '1280x720', 'wide without an image');
  assert.equal(sizeIn(adaptive, [4032, 3024]), '1112x834', 'a named ratio');
  assert.equal(sizeIn(adaptive, [1920, 1088]), '1280x720', 'nearly a named ratio');
  assert.equal(sizeIn(adaptive, [3000, 2000]), '1176x784', 'another ratio: as many pixels');
  assert.equal(
    sizeIn(adaptive, [100, 4000]),
    sizeIn(adaptive, [100, 2000]),
    'extreme ratios are limited',
  );
});
