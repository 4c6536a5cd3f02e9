/** Sizes that clients of other APIs send, and what is rendered for them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { modelNames, resolutions } from '@vidgen/contract/models.ts';
import { namedRatios } from '@vidgen/contract/video-sizes.ts';
import { formatOfSize, sizeOf } from './video-size.ts';

/** Sent, resolution, aspect ratio, reported. */
const sizes = [
  ['1792x1024', '1080p', '16:9', '1920x1080'],
  ['1024x1792', '1080p', '9:16', '1080x1920'],
  ['854x480', '480p', '16:9', '864x496'],
  ['640x360', '480p', '16:9', '864x496'],
  ['1024x1024', '720p', '1:1', '960x960'],
  ['480x480', '480p', '1:1', '640x640'],
  ['960x720', '720p', '4:3', '1112x834'],
  ['768x1024', '720p', '3:4', '834x1112'],
  ['1680x720', '720p', '21:9', '1470x630'],
  ['10x99999', '720p', '9:16', '720x1280'],
] as const;

describe('a size becomes the nearest aspect ratio, and the nearest resolution of it', () => {
  for (const [sent, resolution, aspectRatio, reported] of sizes) {
    test(`${sent} is ${resolution} ${aspectRatio}`, () => {
      const model = 'vidgen-2-0';
      assert.deepEqual(formatOfSize(sent, { model, limits: undefined }), {
        resolution,
        aspectRatio,
      });
      assert.equal(sizeOf({ model, resolution, aspectRatio }), reported);
    });
  }
});

test('the size of every model, resolution and aspect ratio stands for itself', () => {
  for (const model of modelNames) {
    for (const resolution of resolutions) {
      for (const aspectRatio of namedRatios) {
        const size = sizeOf({ model, resolution, aspectRatio });
        assert.deepEqual(
          formatOfSize(size, { model, limits: undefined }),
          { resolution, aspectRatio },
          size,
        );
      }
    }
  }
});

test('an aspect ratio that follows the material has the size of 16:9', () => {
  const format = { model: 'vidgen-2-5', resolution: '720p', aspectRatio: 'adaptive' } as const;
  assert.equal(sizeOf(format), '1280x720');
});
