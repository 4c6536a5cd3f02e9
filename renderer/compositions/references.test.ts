/**
 * Thorough: renders frames.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { createPicture } from '../picture.ts';
import type { JobMaterial } from '../render-job.ts';
import {
  imageMaterial,
  landscapeOf,
  openScratch,
  type Scratch,
  sampleGeneration,
} from '../testing/rendered.ts';

/** A shape of one color, on transparent or white. */
function figure(color: string, options: { readonly onWhite: boolean }): Canvas {
  const canvas = createCanvas(300, 300);
  const context = canvas.getContext('2d');
  context.fillStyle = options.onWhite ? '#fff' : 'transparent';
  context.fillRect(0, 0, 300, 300);
  context.fillStyle = color;
  context.fillRect(90, 60, 120, 180);
  return canvas;
}

async function materialsIn({ folder }: Scratch, pictures: readonly Canvas[]) {
  const materials: JobMaterial[] = [];
  for (const [at, picture] of pictures.entries()) {
    const file = join(folder, `${at}.png`);
    await writeFile(file, picture.toBuffer('image/png'));
    materials.push(imageMaterial(at, file));
  }
  return materials;
}

/** The frame at a time, and its share of pixels in the color of the shape. */
async function drawn(materials: readonly JobMaterial[], prompt: string, second: number) {
  const generation = sampleGeneration({
    ...{ model: 'vidgen-2-5', generationType: 'reference-to-video', prompt },
  });
  const out = { video: '', lastFrame: null };
  const picture = await createPicture({ generation, materials, seed: 2, out });
  const { width, height } = picture.size;
  const canvas = createCanvas(width, height);
  await picture.draw(canvas.getContext('2d', { alpha: false }), Math.round(second * 24));
  await picture.close();
  const pixels = Buffer.from(canvas.data());
  let green = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    assert.equal(pixels[at + 3], 255, 'no holes');
    if (pixels[at]! < 60 && pixels[at + 1]! > 180 && pixels[at + 2]! < 90) green += 1;
  }
  return { pixels, green: green / (width * height) };
}

test('shows a photo, a cutout and a drawing large in the scene', async () => {
  await using scratch = await openScratch();
  const photograph = landscapeOf({ width: 400, height: 300 });
  const context = photograph.getContext('2d');
  context.fillStyle = '#10e030';
  context.fillRect(150, 120, 100, 180);
  for (const picture of [
    photograph,
    figure('#10e030', { onWhite: false }),
    figure('#10e030', { onWhite: true }),
  ]) {
    const materials = await materialsIn(scratch, [picture]);
    const { green } = await drawn(materials, 'A lighthouse at night', 3);
    assert.ok(green > 0.03, `${green}`);
  }
});

test('draws thirty images, ten videos and ten audio files, deterministically', async () => {
  await using scratch = await openScratch();
  const pictures = Array.from({ length: 30 }, (_, at) =>
    landscapeOf({ width: 60 + ((at * 37) % 90), height: 60 + ((at * 53) % 90) }),
  );
  const missing = (['video', 'audio'] as const).flatMap((kind) =>
    Array.from({ length: 10 }, (_, index) => ({
      ...{ kind, index, file: null, title: `cdn.example.test/${index}` },
    })),
  );
  const materials = [...(await materialsIn(scratch, pictures)), ...missing];
  const prompt = 'Everything, and @Image 7 above all';
  const [one, again] = [await drawn(materials, prompt, 2), await drawn(materials, prompt, 2)];
  assert.ok(one.pixels.equals(again.pixels));
});
