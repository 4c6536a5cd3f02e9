/** Thorough: renders whole videos. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { covering } from './image.ts';
import { readClip, readWhole, similarity } from './testing/clip.ts';
import { checkIn, imageMaterial, openScratch, renderIn } from './testing/rendered.ts';

/** AV_PROFILE_H264_HIGH, AVCOL_SPC_BT709, AVCOL_RANGE_MPEG of FFmpeg. */
const [highProfile, bt709, limitedRange] = [100, 1, 1];

/** An image with large shapes in the given colors. */
function pngOf(colors: readonly [string, string], size = { width: 1000, height: 750 }): Buffer {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  const ground = context.createLinearGradient(0, 0, size.width, size.height);
  ground.addColorStop(0, colors[0]);
  ground.addColorStop(1, colors[1]);
  context.fillStyle = ground;
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = colors[1];
  context.beginPath();
  context.arc(size.width * 0.3, size.height * 0.4, size.height * 0.2, 0, Math.PI * 2);
  context.fill();
  return canvas.toBuffer('image/png');
}

test('writes a playable MP4 with audio and the last frame, and reports progress', async () => {
  await using scratch = await openScratch();
  const rendered = await renderIn(scratch, {
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
  assert.partialDeepStrictEqual(clip, {
    ...{ width: 864, height: 496, frames: 24, framesPerSecond: 24, videoSeconds: 1 },
    ...{ videoCodec: 'h264', profile: highProfile, pixelFormat: 'yuv420p' },
    ...{ colorSpace: bt709, colorRange: limitedRange, pixelAspect: '1:1', isFastStart: true },
    audio: { codec: 'aac', sampleRate: 48_000, channels: 2 },
  });
  const { seconds, peak } = clip.audio!;
  assert.ok(Math.abs(seconds - 1) < 0.05, `sound of ${seconds} s`);
  assert.ok(peak > 0.1 && peak < 0.95, `loudest sample ${peak}`);

  const last = await loadImage(await readFile(rendered.lastFrame));
  assert.deepEqual([last.width, last.height], [864, 496]);
});

test('the same seed gives the same frames, also on a busy machine', async () => {
  await using scratch = await openScratch();
  const generation = { prompt: 'An idea becomes music', duration: 0.5 };
  const clips = await Promise.all(
    ['one', 'again'].map(async (name) => {
      return await readClip((await renderIn(scratch, { name, generation })).video);
    }),
  );
  assert.equal(clips[0]!.framesHash, clips[1]!.framesHash);
  assert.equal(clips[0]!.audio, null, 'no audio unless requested');
});

test('fails with the name of a file that is not an image', async () => {
  await using scratch = await openScratch();
  const file = join(scratch.folder, 'given');
  await writeFile(file, '<!doctype html><title>Not found</title>'.padEnd(100));
  const { reports, code } = await renderIn(scratch, {
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
  await using scratch = await openScratch();
  const { ready, encoder } = await checkIn(scratch);
  assert.deepEqual({ ready, encoder }, { ready: true, encoder: 'native' });
  assert.deepEqual(await checkIn(scratch, { withoutNative: true }), {
    ready: true,
    encoder: 'wasm',
    detail: 'no node-av here',
  });
  assert.deepEqual(await readdir(scratch.folder), [], 'leaves no files');
});

test('--check reports an error for a folder that cannot be written', async () => {
  const { ready, encoder, detail } = await checkIn({ folder: '/nowhere' } as never);
  assert.deepEqual({ ready, encoder }, { ready: false, encoder: null });
  assert.match(detail, /ENOENT/);
});

test('renders text and images with audio without native code', async () => {
  await using scratch = await openScratch();
  const file = join(scratch.folder, 'given');
  const picture = pngOf(['#183a5c', '#f4b860']);
  await writeFile(file, picture);
  const { video, lastFrame } = await renderIn(scratch, {
    name: 'wasm',
    encoder: 'wasm',
    generation: {
      ...{ generationType: 'image-to-video', aspectRatio: 'adaptive', duration: 1 },
      ...{ generateAudio: true, returnLastFrame: true },
    },
    materials: [imageMaterial(0, file)],
  });
  const clip = await readClip(video);
  assert.partialDeepStrictEqual(clip, {
    ...{ width: 752, height: 560, frames: 24, videoSeconds: 1, isFastStart: true },
    ...{
      videoCodec: 'h264',
      pixelFormat: 'yuv420p',
      colorSpace: bt709,
      colorRange: limitedRange,
    },
    audio: { codec: 'aac', sampleRate: 48_000, channels: 2 },
  });
  assert.ok(Math.abs(clip.audio!.seconds - 1) < 0.05, `sound of ${clip.audio!.seconds} s`);
  const { first } = await readWhole(video);
  const given = covering(await loadImage(picture), clip).data();
  assert.ok(similarity(first, given) > 30, `${similarity(first, given)} dB`);
  assert.equal((await loadImage(await readFile(lastFrame))).width, 752);
});

test('names the video that cannot be read without native code', async () => {
  await using scratch = await openScratch();
  const { reports } = await renderIn(scratch, {
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
