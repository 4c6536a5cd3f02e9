/**
 * Thorough: renders frames.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { createPicture } from '../picture.ts';
import type { JobMaterial } from '../render-job.ts';
import { jobOf, landscapeOf, writeImages } from '../testing/rendered.ts';

async function drawn(materials: readonly JobMaterial[], prompt: string): Promise<Buffer> {
  const job = jobOf(materials, { aspectRatio: '16:9', prompt });
  const picture = await createPicture(job);
  const canvas = createCanvas(picture.size.width, picture.size.height);
  await picture.draw(canvas.getContext('2d', { alpha: false }), 48);
  await picture.close();
  return Buffer.from(canvas.data());
}

test('draws thirty images, ten videos and ten audio files, deterministically', async () => {
  const folder = makeTemporaryFolder('preview');
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
  const materials = [...(await writeImages(folder, pictures)), ...missing];
  const prompt = 'Everything, and @Image 7 above all';
  const pixels = await drawn(materials, prompt);
  assert.ok(pixels.equals(await drawn(materials, prompt)));
  assert.ok(!pixels.equals(await drawn(materials.slice(0, 29), prompt)), 'every card shows');
});
