/** Sizes that clients of other APIs send, and what is rendered for them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatOfSize, sizeOf } from './video-size.ts';

/** Sent, resolution, aspect ratio, reported. */
const sizes = [
  ['1280x720', '720p', '16:9', '1280x720'],
  ['720x1280', '720p', '9:16', '720x1280'],
  ['1792x1024', '1080p', '16:9', '1920x1080'],
  ['1024x1792', '1080p', '9:16', '1080x1920'],
  ['1920x1080', '1080p', '16:9', '1920x1080'],
  ['3840x2160', '4k', '16:9', '3840x2160'],
  ['854x480', '480p', '16:9', '854x480'],
  ['640x360', '480p', '16:9', '854x480'],
  ['1024x1024', '1080p', '1:1', '1080x1080'],
  ['600x600', '480p', '1:1', '480x480'],
  ['960x720', '720p', '4:3', '960x720'],
  ['768x1024', '720p', '3:4', '720x960'],
  ['1680x720', '720p', '21:9', '1680x720'],
  ['1080x720', '720p', '4:3', '960x720'],
  ['10x99999', '480p', '9:16', '480x854'],
] as const;

describe('a size becomes the nearest resolution and aspect ratio', () => {
  for (const [sent, resolution, aspectRatio, reported] of sizes) {
    test(`${sent} is ${resolution} ${aspectRatio}`, () => {
      assert.deepEqual(formatOfSize(sent), { resolution, aspectRatio });
      assert.equal(sizeOf({ resolution, aspectRatio }), reported);
    });
  }
});

test('an aspect ratio that follows the material has no size, only a resolution', () => {
  assert.equal(sizeOf({ resolution: '720p', aspectRatio: 'adaptive' }), '720p');
});
