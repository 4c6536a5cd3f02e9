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
  limitsOf,
  openScratch,
  type Scratch,
  sampleGeneration,
} from '../testing/rendered.ts';

async function materialsIn({ folder }: Scratch, pictures: readonly Canvas[]) {
  const materials: JobMaterial[] = [];
  for (const [at, picture] of pictures.entries()) {
    const file = join(folder, `${at}.png`);
    await writeFile(file, picture.toBuffer('image/png'));
    materials.push(imageMaterial(at, file));
  }
  return materials;
}

async function drawn(materials: readonly JobMaterial[], prompt: string): Promise<Buffer> {
  const generation = sampleGeneration({
    model: 'vidgen-2-5',
    generationType: 'reference-to-video',
    prompt,
  });
  const out = { video: '', lastFrame: null };
  const limits = limitsOf(generation);
  const picture = await createPicture({ generation, materials, seed: 2, limits, out });
  const canvas = createCanvas(picture.size.width, picture.size.height);
  await picture.draw(canvas.getContext('2d', { alpha: false }), 48);
  await picture.close();
  return Buffer.from(canvas.data());
}

test('draws thirty images, ten videos and ten audio files, deterministically', async () => {
  await using scratch = await openScratch();
  const pictures = Array.from({ length: 30 }, (_, at) =>
    landscapeOf({ width: 60 + ((at * 37) % 90), height: 60 + ((at * 53) % 90) }),
  );
  const missing = (['video', 'audio'] as const).flatMap((kind) =>
    Array.from({ length: 10 }, (_, index) => ({
      kind,
      index,
      file: null,
      title: `cdn.example.test/${index}`,
    })),
  );
  const materials = [...(await materialsIn(scratch, pictures)), ...missing];
  const prompt = 'Everything, and @Image 7 above all';
  const pixels = await drawn(materials, prompt);
  assert.ok(pixels.equals(await drawn(materials, prompt)));
  assert.ok(!pixels.equals(await drawn(materials.slice(0, 29), prompt)), 'every card shows');
});
