/** Which frame of a video its poster shows, and how large it is. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { makePoster } from './poster.ts';
import { numberIn, steady, type VideoRecipe, writeVideo } from './testing/video-files.ts';

const folder = makeTemporaryFolder('preview');

async function posterOf(recipe: Omit<VideoRecipe, 'frames'>) {
  const frames = steady({ seconds: 4, rate: [12, 1] });
  const video = await writeVideo(join(folder, 'video'), { ...recipe, frames });
  const { poster, seconds } = await makePoster(video);
  assert.equal(seconds, 4);
  const image = await loadImage(poster);
  const size = { width: image.width, height: image.height };
  const context = createCanvas(size.width, size.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, size.width, size.height);
  return { size, number: numberIn(new Uint8Array(data.buffer), size) };
}

// A key frame begins every second.
test('shows the key frame at the first second, at 640 pixels', async () => {
  const poster = await posterOf({ size: { width: 704, height: 396 } });
  assert.deepEqual(poster, { size: { width: 640, height: 360 }, number: 12 });
});

test('keeps the size of a small video, and shows a later frame of a flat one', async () => {
  const poster = await posterOf({ size: { width: 160, height: 90 } });
  assert.deepEqual(poster, { size: { width: 160, height: 90 }, number: 36 });
});
