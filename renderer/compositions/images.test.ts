/**
 * Thorough: renders frames.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { covering } from '../image.ts';
import { createPicture } from '../picture.ts';
import {
  imageMaterial,
  landscapeOf,
  limitsOf,
  openScratch,
  sampleGeneration,
} from '../testing/rendered.ts';

test('keeps given frames unchanged: no caption, watermark, light or weather', async () => {
  await using scratch = await openScratch();
  const given = [
    landscapeOf({ width: 400, height: 300 }),
    covering(landscapeOf({ width: 300, height: 200 }), { width: 200, height: 300 }),
  ];
  const files = given.map((_, at) => join(scratch.folder, `${at}.png`));
  for (const [at, file] of files.entries()) await writeFile(file, given[at]!.toBuffer('image/png'));
  const generation = sampleGeneration({
    generationType: 'image-to-video',
    prompt: 'A storm with rain, snow and fog at night',
    watermark: true,
  });
  const materials = files.map((file, at) => imageMaterial(at, file));
  const out = { video: '', lastFrame: null };
  const { size, frames, draw, opacitiesOf } = await createPicture({
    generation,
    materials,
    seed: 1,
    limits: limitsOf(generation),
    out,
  });
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  await draw(context, 0);
  assert.ok(canvas.data().equals(covering(given[0]!, size).data()), 'the first');
  assert.deepEqual(opacitiesOf(0), [0, 0, 0]);
  await draw(context, 12);
  await draw(context, frames - 1);
  assert.ok(canvas.data().equals(covering(given[1]!, size).data()), 'the last');
  assert.deepEqual(opacitiesOf(frames - 1), [0, 0, 0]);
});
