import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { aspectRatios, resolutions } from '@vidgen/contract/models.ts';
import { createPicture } from '../picture.ts';
import { sizeOf } from '../size.ts';
import { sampleGeneration } from '../testing/rendered.ts';
import { drawnSize } from './enlarged.ts';

test('draws scenes at full size up to 720p, and with the pixel count of 720p above', () => {
  for (const resolution of resolutions) {
    for (const aspectRatio of aspectRatios) {
      const size = sizeOf({ model: 'vidgen-2-0', resolution, aspectRatio }, null);
      const drawn = drawnSize(size);
      if (['480p', '720p'].includes(resolution)) assert.deepEqual(drawn, size);
      else {
        const share = (drawn.width * drawn.height) / (1280 * 720);
        assert.ok(share > 0.99 && share < 1.01, `${resolution} ${aspectRatio}: ${share}`);
        const stretch = drawn.width / drawn.height / (size.width / size.height);
        assert.ok(Math.abs(stretch - 1) < 0.002, `${resolution} ${aspectRatio}: ${stretch}`);
      }
    }
  }
});

test('captions are drawn at full size in large frames', async () => {
  const generation = sampleGeneration({
    ...{ model: 'vidgen-2-0', prompt: 'The open sea at night', resolution: '1080p', duration: 4 },
  });
  const out = { video: '', lastFrame: null };
  const picture = await createPicture({ generation, materials: [], seed: 3, out });
  const { width, height } = picture.size;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  for (const frame of [0, 44]) await picture.draw(context, frame);
  await picture.close();
  const pixels = canvas.data();
  let steepest = 0;
  for (let row = Math.round(height * 0.8); row < height; row += 1) {
    for (let at = row * width * 4; at < (row + 1) * width * 4 - 4; at += 4) {
      steepest = Math.max(steepest, Math.abs(pixels[at + 4]! - pixels[at]!));
    }
  }
  // An image drawn small and enlarged by half has no edge this steep.
  assert.ok(steepest > 170, `the steepest edge is ${steepest} of 255`);
});
