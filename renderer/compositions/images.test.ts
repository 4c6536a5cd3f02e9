/**
 * Thorough: renders frames.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { covering } from '../image.ts';
import { createPicture } from '../picture.ts';
import { jobOf, landscapeOf, writeImages } from '../testing/rendered.ts';

test('keeps given frames unchanged: no caption, watermark, light or weather', async () => {
  const folder = makeTemporaryFolder('preview');
  const given = [
    landscapeOf({ width: 400, height: 300 }),
    covering(landscapeOf({ width: 300, height: 200 }), { width: 200, height: 300 }),
  ];
  const job = jobOf(await writeImages(folder, given), {
    generationType: 'image-to-video',
    prompt: 'A storm with rain, snow and fog at night',
    watermark: true,
  });
  const { size, frames, draw, opacitiesOf } = await createPicture(job);
  const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  await draw(context, 0);
  assert.ok(context.canvas.data().equals(covering(given[0]!, size).data()), 'the first');
  assert.deepEqual(opacitiesOf(0), [0, 0, 0]);
  await draw(context, 12);
  await draw(context, frames - 1);
  assert.ok(context.canvas.data().equals(covering(given[1]!, size).data()), 'the last');
  assert.deepEqual(opacitiesOf(frames - 1), [0, 0, 0]);
});
