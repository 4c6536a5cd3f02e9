/** What a clip is made of, and that it is never longer than what was paid for. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { editedOf, mentionedMaterials, planOf } from './plan.ts';
import type { JobMaterial } from './render-job.ts';
import { imageMaterial, jobOf } from './testing/rendered.ts';
import { rotate, steady, videoMaterial, writeVideo } from './testing/video-files.ts';
import { UnusableMaterial } from './unusable.ts';

const folder = makeTemporaryFolder('preview');
const at = (name: string): string => join(folder, name);
const wide = await writeVideo(at('wide'), { frames: steady({ seconds: 1 }) });
const tall = await writeVideo(at('tall'), { frames: steady({ seconds: 2 }) });
await rotate(tall, 'right');

test('an edit has the length and the size of its source', async () => {
  const plan = await planOf(jobOf([videoMaterial(0, tall)], { duration: -1 }));
  assert.partialDeepStrictEqual(plan, {
    composition: 'edit',
    frames: 48,
    sourceSize: { width: 90, height: 160 },
    chosen: { index: 0 },
  });
});

test('edits the mentioned video, or else the longest, and the first of equals', () => {
  const materials = [0, 1, 2].map((index) => videoMaterial(index, 'x'));
  const edited = (prompt: string, ...seconds: readonly number[]): number | undefined => {
    const videos = new Map(seconds.map((each, index) => [index, { seconds: each }]));
    return editedOf(jobOf(materials, { prompt }), videos)?.index;
  };
  assert.equal(edited('Make it night', 5, 8, 6), 1);
  assert.equal(edited('Make it night', 5, 5, 5), 0);
  assert.equal(edited('Put the hat of image 1 on the man in @Video 3', 5, 8, 6), 2);
  assert.equal(edited('Make the first clip a painting', 5, 8, 6), 0);
  assert.equal(edited('Like video 9', 5, 8, 6), 1, 'there is none of that number');
});

test('counts an edited video that could not be fetched as five seconds', async () => {
  const materials = [videoMaterial(0, null), videoMaterial(1, wide)];
  const one = await planOf(jobOf([materials[0]!], { duration: -1 }));
  assert.partialDeepStrictEqual(one, { composition: 'edit', frames: 120, sourceSize: null });
  const other = await planOf(jobOf(materials, { duration: -1 }));
  assert.partialDeepStrictEqual(other, { frames: 24, chosen: { index: 1 } });
});

test('model 2.5 extends a single video; anything else is a set of references', async () => {
  const picture = join(folder, 'picture');
  await writeFile(picture, createCanvas(30, 40).toBuffer('image/png'));
  const song: JobMaterial = { kind: 'audio', index: 0, file: null, title: 'a.example.test/song' };
  const jobs = [
    [jobOf([videoMaterial(0, wide)]), 'extension'],
    [jobOf([videoMaterial(0, wide), song]), 'extension'],
    [jobOf([videoMaterial(0, null)]), 'references'],
    [jobOf([videoMaterial(0, wide)], { model: 'vidgen-2-0' }), 'references'],
    [jobOf([imageMaterial(0, picture), videoMaterial(0, wide)]), 'references'],
    [jobOf([videoMaterial(0, wide), videoMaterial(1, tall)]), 'references'],
    [jobOf([song]), 'references'],
  ] as const;
  for (const [job, composition] of jobs) {
    const plan = await planOf(job);
    assert.equal(plan.composition, composition);
    assert.equal(plan.frames, 96);
  }
});

test('adaptive follows the first fetched image, then the first video', async () => {
  const picture = join(folder, 'shape');
  await writeFile(picture, createCanvas(30, 40).toBuffer('image/png'));
  const videos = [videoMaterial(0, null), videoMaterial(1, tall), videoMaterial(2, wide)];
  const sizeOf = async (materials: readonly JobMaterial[]) => {
    const { sourceSize } = await planOf(jobOf(materials));
    return sourceSize && [sourceSize.width, sourceSize.height];
  };
  assert.deepEqual(await sizeOf(videos), [90, 160], 'upright');
  assert.deepEqual(await sizeOf([imageMaterial(0, null), ...videos]), [90, 160]);
  assert.deepEqual(await sizeOf([imageMaterial(0, picture), ...videos]), [30, 40]);
  assert.equal(await sizeOf([videos[0]!]), null);
});

test('an edit is cut to the seconds that were paid for', async () => {
  const job = jobOf([videoMaterial(0, tall)], { duration: -1 });
  assert.equal((await planOf({ ...job, pricedSeconds: 1 })).frames, 25);
  assert.equal((await planOf({ ...job, pricedSeconds: 2 })).frames, 48);
  assert.equal((await planOf({ ...job, pricedSeconds: null })).frames, 48);
  const missing = { ...job, materials: [videoMaterial(0, null)], pricedSeconds: 4 };
  assert.equal((await planOf(missing)).frames, 97, 'not the five seconds of an unfetched source');
});

test('an edit of a video whose picture starts late has the seconds of its price', async () => {
  for (const format of ['mp4', 'matroska']) {
    const frames = { ...steady({ seconds: 2 }), firstTick: 24 };
    const late = await writeVideo(join(folder, `late-${format}`), { format, frames });
    const job = jobOf([videoMaterial(0, late)], { duration: -1 });
    assert.equal((await planOf({ ...job, pricedSeconds: 3 })).frames, 72, format);
  }
});

test('videos that are too long in all cannot be used', async () => {
  const videos = Array.from({ length: 8 }, (_, index) => videoMaterial(index, tall));
  const ask = { model: 'vidgen-2-0', duration: 5 } as const;
  await assert.rejects(planOf(jobOf(videos, ask)), UnusableMaterial);
  assert.equal((await planOf(jobOf(videos.slice(1), ask))).frames, 120);
});

test('finds the materials that a prompt mentions, in order', () => {
  const song: JobMaterial = { kind: 'audio', index: 0, file: null, title: 'a.example.test/song' };
  const images = [0, 1, 2].map((index) => imageMaterial(index, null));
  const materials = [...images, ...[0, 1].map((index) => videoMaterial(index, null)), song];
  for (const [prompt, places] of [
    ['The cat of @Image2 meets @Image 1', [1, 0]],
    ['image #3, then video 2 over audio-1; image 3 again', [2, 4, 5]],
    ['Take the second picture and the first clip', [1, 3]],
    ['让图2里的人走进图片 1', [1, 0]],
    ['Image 9, image 0, video 12 and imagery 1', []],
    ['A first day', []],
  ] as const) {
    assert.deepEqual(mentionedMaterials(prompt, materials), places, prompt);
  }
});
