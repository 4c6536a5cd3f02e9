/** A preview is never longer than what was paid for, whatever its materials have become. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { planOf } from './plan.ts';
import type { RenderJob } from './render-job.ts';
import { UnusableVideo } from './source/container.ts';
import { openScratch, type Scratch, sampleGeneration } from './testing/rendered.ts';
import { steady, videoMaterial, writeVideo } from './testing/video-files.ts';

let scratch: Scratch;
let video: string;
before(async () => {
  scratch = await openScratch();
  video = await writeVideo(join(scratch.folder, 'video'), { frames: steady({ seconds: 2 }) });
});
after(() => scratch[Symbol.asyncDispose]());

const jobOf = (videos: number, change: Partial<RenderJob['generation']>): RenderJob => ({
  generation: sampleGeneration({
    ...{ model: 'vidgen-2-5', generationType: 'reference-to-video', aspectRatio: 'adaptive' },
    ...change,
  }),
  materials: Array.from({ length: videos }, (_, index) => videoMaterial(index, video)),
  seed: 1,
  out: { video: '', lastFrame: null },
});

test('an edit is cut to the seconds that were paid for', async () => {
  const job = jobOf(1, { duration: -1 });
  assert.equal((await planOf({ ...job, pricedSeconds: 1 })).frames, 25);
  assert.equal((await planOf({ ...job, pricedSeconds: 2 })).frames, 48);
  assert.equal((await planOf({ ...job, pricedSeconds: null })).frames, 48);
  const missing = { ...job, materials: [videoMaterial(0, null)], pricedSeconds: 4 };
  assert.equal((await planOf(missing)).frames, 97, 'not the five seconds of an unfetched source');
});

test('an edit of a video whose picture starts late has the seconds of its price', async () => {
  for (const format of ['mp4', 'matroska']) {
    const frames = { ...steady({ seconds: 2 }), firstTick: 24 };
    const late = await writeVideo(join(scratch.folder, `late-${format}`), { format, frames });
    const job = { ...jobOf(1, { duration: -1 }), materials: [videoMaterial(0, late)] };
    assert.equal((await planOf({ ...job, pricedSeconds: 3 })).frames, 72, format);
  }
});

test('videos that are too long in all cannot be used', async () => {
  const job = jobOf(8, { model: 'vidgen-2-0', duration: 5 });
  await assert.rejects(planOf(job), UnusableVideo);
  assert.equal((await planOf(jobOf(7, { model: 'vidgen-2-0', duration: 5 }))).frames, 120);
});
