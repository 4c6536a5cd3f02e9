/**
 * An edit keeps its source and changes what the prompt asks for.
 * Thorough: renders a video for every kind of edit.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { createPicture } from '../picture.ts';
import type { JobMaterial, RenderJob } from '../render-job.ts';
import { readClip } from '../testing/clip.ts';
import { jobOf, renderIn } from '../testing/rendered.ts';
import { rotate, sampleFrame, steady, videoMaterial, writeVideo } from '../testing/video-files.ts';

const folder = makeTemporaryFolder('preview');
const source = await writeVideo(join(folder, 'source'), {
  size: { width: 320, height: 180 },
  frames: steady({ seconds: 0.5 }),
});

const editOf = (prompt: string, materials: readonly JobMaterial[]): RenderJob =>
  jobOf(materials, { duration: -1, prompt });

async function framesOf(job: RenderJob): Promise<Buffer[]> {
  const picture = await createPicture(job);
  assert.deepEqual(picture.size, { width: 854, height: 480 });
  const canvas = createCanvas(picture.size.width, picture.size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const frames: Buffer[] = [];
  for (let frame = 0; frame < picture.frames; frame += 1) {
    await picture.draw(context, frame);
    frames.push(Buffer.from(canvas.data()));
  }
  await picture.close();
  return frames;
}

const full = { width: 854, height: 480 };

/** The numbers of frames whose colors may have changed: compares blocks over all frames. */
function numbersIn(frames: readonly Buffer[]): number[] {
  const block = full.width / 8;
  const levels = frames.map((rgba) =>
    [0, 1, 2, 3].map((bit) => {
      let sum = 0;
      for (let y = 50; y < 80; y += 1) {
        for (let x = 10; x < 90; x += 1) {
          sum += rgba[(y * full.width + Math.floor(bit * block) + x) * 4 + 1]!;
        }
      }
      return sum;
    }),
  );
  return levels.map((row) =>
    row.reduce((number, level, bit) => {
      const column = levels.map((other) => other[bit]!);
      const isWhite = level > (Math.min(...column) + Math.max(...column)) / 2;
      return isWhite ? number | (1 << bit) : number;
    }, 0),
  );
}

for (const prompt of [
  'Make it night',
  'Snow falls',
  'An oil painting',
  'A comic',
  'A watercolor painting',
]) {
  test(`"${prompt}" changes every frame, and keeps order and position of the content`, async () => {
    const frames = await framesOf(editOf(prompt, [videoMaterial(0, source)]));
    const numbers = numbersIn(frames);
    assert.deepEqual(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (const index of [0, 11]) {
      const original = sampleFrame({ size: full, index });
      let change = 0;
      for (const [at, value] of original.entries()) change += Math.abs(value - frames[index]![at]!);
      change /= original.length * 0.75;
      assert.ok(change > 5, `frame ${index} differs by ${change.toFixed(1)} levels`);
    }
  });
}

test('a rendered edit has the frames, the size and the audio of its source', async () => {
  const file = join(folder, 'phone');
  await writeVideo(file, { frames: steady({ seconds: 1.26, rate: [30, 1] }), clickSeconds: 1.26 });
  await rotate(file, 'right');
  const { generation } = editOf('Black and white', []);
  const { video, lastFrame, reports } = await renderIn(folder, {
    name: 'edit',
    generation: { ...generation, generateAudio: true, returnLastFrame: true },
    materials: [videoMaterial(0, file)],
  });
  assert.deepEqual(reports.at(-1), { done: true, seconds: 30 / 24 });
  const clip = await readClip(video);
  assert.deepEqual([clip.width, clip.height, clip.frames], [480, 854, 30]);
  assert.equal(clip.videoSeconds, 30 / 24);
  assert.ok(Math.abs(clip.audio!.seconds - 30 / 24) < 0.03, `sound of ${clip.audio!.seconds} s`);
  assert.ok(clip.audio!.peak > 0.5, 'its clicks');
  assert.equal((await loadImage(await readFile(lastFrame))).height, 854);
});
