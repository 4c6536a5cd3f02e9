import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { createPicture } from '../picture.ts';
import type { JobMaterial, RenderJob } from '../render-job.ts';
import { readClip } from '../testing/clip.ts';
import { openScratch, renderIn, type Scratch, sampleGeneration } from '../testing/rendered.ts';
import {
  numberIn,
  rotate,
  sampleFrame,
  steady,
  videoMaterial,
  writeVideo,
} from '../testing/video-files.ts';

let scratch: Scratch;
let source: string;
before(async () => {
  scratch = await openScratch();
  const size = { width: 320, height: 180 };
  const frames = steady({ seconds: 0.5 });
  source = await writeVideo(join(scratch.folder, 'source'), { size, frames });
});
after(() => scratch[Symbol.asyncDispose]());

function jobOf(prompt: string, materials: readonly JobMaterial[]): RenderJob {
  const generation = sampleGeneration({
    ...{ model: 'vidgen-2-5', generationType: 'reference-to-video', aspectRatio: 'adaptive' },
    ...{ duration: -1, prompt },
  });
  return { generation, materials, seed: 5, out: { video: '', lastFrame: null } };
}

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

/** How much brightness changes at each place of a picture, coarsely. */
function edgesOf(rgba: Buffer): number[] {
  const cell = 16;
  const [columns, rows] = [Math.floor(full.width / cell), Math.floor(full.height / cell)];
  const levels = Array.from({ length: columns * rows }, (_, at) => {
    const [x, y] = [(at % columns) * cell, Math.floor(at / columns) * cell];
    let sum = 0;
    for (let dy = 0; dy < cell; dy += 4) {
      for (let dx = 0; dx < cell; dx += 4) sum += rgba[((y + dy) * full.width + x + dx) * 4 + 1]!;
    }
    return sum / 16;
  });
  // Above the words alone.
  return levels.slice(columns, Math.floor(rows * 0.6) * columns).map((level, at) => {
    const right = levels[at + columns + 1]!;
    const below = levels[at + columns * 2]!;
    return Math.abs(right - level) + Math.abs(below - level);
  });
}

function correlation(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [a, b] = [mean(one), mean(other)];
  let [both, first, second] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    both += (value - a) * (other[at]! - b);
    first += (value - a) ** 2;
    second += (other[at]! - b) ** 2;
  }
  return both / Math.sqrt(first * second);
}

for (const prompt of ['Make it night', 'Snow falls', 'An oil painting', 'A comic', 'VHS']) {
  test(`"${prompt}" changes every frame, and what is seen in it stays where it was`, async () => {
    const frames = await framesOf(jobOf(prompt, [videoMaterial(0, source)]));
    assert.equal(frames.length, 12);
    for (const index of [0, 11]) {
      const original = sampleFrame({ size: full, index });
      let change = 0;
      for (const [at, value] of original.entries()) change += Math.abs(value - frames[index]![at]!);
      change /= original.length * 0.75;
      assert.ok(change > 5, `frame ${index} differs by ${change.toFixed(1)} levels`);
      const alike = correlation(edgesOf(original), edgesOf(frames[index]!));
      assert.ok(alike > 0.6, `edges of frame ${index} correlate by ${alike.toFixed(2)}`);
    }
  });
}

test('shows the frames of the source in their order, none left out', async () => {
  const frames = await framesOf(jobOf('Make its colors vivid', [videoMaterial(0, source)]));
  assert.deepEqual(
    frames.map((frame) => numberIn(frame, full)),
    Array.from({ length: 12 }, (_, index) => index),
  );
});

test('the same job gives the same frames', async () => {
  const job = jobOf('Vintage film in the rain', [videoMaterial(0, source)]);
  const hashes = [await framesOf(job), await framesOf(job)].map((frames) => {
    return createHash('sha256').update(Buffer.concat(frames)).digest('hex');
  });
  assert.equal(hashes[0], hashes[1]);
});

test('a rendered edit has the frames, the shape and the sound of its source', async () => {
  const file = join(scratch.folder, 'phone');
  await writeVideo(file, { frames: steady({ seconds: 1.26, rate: [30, 1] }), clickSeconds: 1.26 });
  await rotate(file, 'right');
  const generation = jobOf('Black and white', []).generation;
  const { video, lastFrame, reports } = await renderIn(scratch, {
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

test('a video that breaks off fails the task by name', async () => {
  const whole = join(scratch.folder, 'whole');
  await writeVideo(whole, {
    frames: steady({ seconds: 2 }),
    options: { movflags: '+faststart' },
  });
  const file = join(scratch.folder, 'broken');
  const bytes = await readFile(whole);
  await writeFile(file, bytes.subarray(0, bytes.length >> 1));
  const { reports, code } = await renderIn(scratch, {
    name: 'broken-off',
    generation: jobOf('Make it night', []).generation,
    materials: [videoMaterial(0, file)],
  });
  assert.deepEqual(reports, [
    {
      failed: 'material',
      detail: 'video 1 (cdn.example.test/clip-0.mp4): the video is damaged',
    },
  ]);
  assert.equal(code, 0);
});

test('a video that could not be fetched is shown as a card of five seconds', async () => {
  const picture = await createPicture(jobOf('Make it night', [videoMaterial(0, null)]));
  assert.equal(picture.frames, 120);
  await picture.close();
});
