/** Thorough: renders whole videos. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadImage } from '@napi-rs/canvas';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { readClip } from './testing/clip.ts';
import { checkIn, imageMaterial, renderIn } from './testing/rendered.ts';

test('writes a playable MP4 with audio and the last frame, and reports progress', async () => {
  const folder = makeTemporaryFolder('preview');
  const rendered = await renderIn(folder, {
    name: 'sound',
    generation: { duration: 1, generateAudio: true, returnLastFrame: true, watermark: true },
  });
  assert.equal(rendered.code, 0);
  assert.deepEqual(rendered.reports.at(-1), { done: true, seconds: 1 });
  const shares = rendered.reports.flatMap((report) =>
    'progress' in report ? report.progress : [],
  );
  assert.ok(shares.length > 3 && shares.every((share) => share >= 0 && share <= 1));
  assert.deepEqual(
    shares,
    shares.toSorted((one, other) => one - other),
  );

  const clip = await readClip(rendered.video);
  assert.partialDeepStrictEqual(clip, { width: 864, height: 496, frames: 24, videoSeconds: 1 });
  const { peak } = clip.audio!;
  assert.ok(peak > 0.1 && peak < 0.95, `loudest sample ${peak}`);
  const last = await loadImage(await readFile(rendered.lastFrame));
  assert.deepEqual([last.width, last.height], [864, 496]);
});

test('the same seed gives the same frames, also on a busy machine', async () => {
  const folder = makeTemporaryFolder('preview');
  const generation = { prompt: 'An idea becomes music', duration: 0.5 };
  const clips = await Promise.all(
    ['one', 'again'].map(async (name) => {
      return await readClip((await renderIn(folder, { name, generation })).video);
    }),
  );
  assert.equal(clips[0]!.framesHash, clips[1]!.framesHash);
  assert.equal(clips[0]!.audio, null, 'no audio unless requested');
});

test('finishes a clip when a terminal or a supervisor signals every process', async () => {
  const folder = makeTemporaryFolder('preview');
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const { reports } = await renderIn(folder, {
    name: 'signalled',
    generation: { duration: 1 },
    signals,
  });
  assert.deepEqual(reports.at(-1), { done: true, seconds: 1 });
});

test('fails with the name of a file that is not an image', async () => {
  const folder = makeTemporaryFolder('preview');
  const file = join(folder, 'given');
  await writeFile(file, '<!doctype html><title>Not found</title>'.padEnd(100));
  const { reports, code } = await renderIn(folder, {
    name: 'broken',
    generation: { generationType: 'image-to-video' },
    materials: [imageMaterial(0, file)],
  });
  assert.deepEqual(reports, [
    {
      failed: 'material',
      detail:
        'image 1 (cdn.example.test/picture-0.png): ' +
        'not a PNG, JPEG, WebP, GIF, BMP or AVIF image',
    },
  ]);
  assert.equal(code, 0);
});

test('--check renders one second and reports the encoder', async () => {
  const folder = makeTemporaryFolder('preview');
  const { ready, encoder } = await checkIn(folder);
  assert.deepEqual({ ready, encoder }, { ready: true, encoder: 'native' });
  assert.deepEqual(await checkIn(folder, { withoutNative: true }), {
    ready: true,
    encoder: 'wasm',
    detail: 'no node-av here',
  });
  assert.deepEqual(await readdir(folder), [], 'leaves no files');
});

test('--check reports an error for a folder that cannot be written', async () => {
  const { ready, encoder, detail } = await checkIn({ folder: '/nowhere' } as never);
  assert.deepEqual({ ready, encoder }, { ready: false, encoder: null });
  assert.match(detail, /ENOENT/);
});

test('names the video that cannot be read without native code', async () => {
  const folder = makeTemporaryFolder('preview');
  const { reports } = await renderIn(folder, {
    name: 'unreadable',
    encoder: 'wasm',
    generation: { generationType: 'reference-to-video' },
    materials: [{ kind: 'video', index: 0, file: 'given', title: 'cdn.example.test/clip.mp4' }],
  });
  const only = 'requires the native decoder, which is not available: WebAssembly was requested';
  assert.deepEqual(reports, [
    { failed: 'failed', detail: `video 1 (cdn.example.test/clip.mp4) ${only}` },
  ]);
});
