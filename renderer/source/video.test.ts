/**
 * Frames of source videos, also of hostile ones.
 *
 * Thorough: decodes whole videos.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHostileMedia } from '../../proof/kit/hostile-media.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import type { Size } from '../size.ts';
import { similarity } from '../testing/clip.ts';
import {
  numberIn,
  type Orientation,
  rotate,
  sampleFrame,
  steady,
  type VideoRecipe,
  writeVideo,
} from '../testing/video-files.ts';
import { UnusableMaterial } from '../unusable.ts';
import { limitMemory, openVideo, type VideoSource } from './video.ts';

const small: Size = { width: 96, height: 54 };
const folder = makeTemporaryFolder('preview');

let written = 0;
const write = async (recipe: VideoRecipe): Promise<string> => {
  written += 1;
  return await writeVideo(join(folder, `video-${written}`), recipe);
};

/** The numbers of the source frames shown, one per output frame. */
async function numbersOf(
  source: VideoSource,
  options: { readonly count: number; readonly atEnd?: 'hold' | 'repeat' },
): Promise<number[]> {
  const player = await source.play({ size: small, atEnd: 'hold', threads: 1, ...options });
  const numbers: number[] = [];
  for (let frame = 0; frame < options.count; frame += 1) {
    numbers.push(numberIn(await player.next(), small));
  }
  await player.close();
  return numbers;
}

const kinds: readonly (readonly [string, VideoRecipe])[] = [
  ['MP4', { frames: steady({ seconds: 2 }), clickSeconds: 2 }],
  ['MOV', { frames: steady({ seconds: 2 }), format: 'mov', codec: 'mpeg4' }],
  ['WebM', { frames: steady({ seconds: 2 }), format: 'webm', codec: 'libvpx' }],
  ['MKV', { frames: steady({ seconds: 2 }), format: 'matroska' }],
];
for (const [name, recipe] of kinds) {
  test(`shows every frame of ${name} once, then holds the last or loops`, async () => {
    const source = await openVideo(await write(recipe));
    assert.deepEqual(source.size, { width: 160, height: 90 });
    assert.ok(Math.abs(source.seconds - 2) < 0.002, `${source.seconds} s`);
    const all = Array.from({ length: 48 }, (_, index) => index);
    assert.deepEqual(await numbersOf(source, { count: 50 }), [...all, 47, 47]);
    const again = await numbersOf(source, { count: 50, atEnd: 'repeat' });
    assert.deepEqual(again, [...all, 0, 1]);
  });
}

test('drops and repeats frames so that each output frame shows the nearest', async () => {
  const ntsc = await openVideo(
    await write({ frames: steady({ seconds: 6.07, rate: [30_000, 1001] }) }),
  );
  assert.equal(Math.round(ntsc.seconds * 24), 146);
  const shown = await numbersOf(ntsc, { count: 146 });
  assert.deepEqual(
    shown,
    Array.from({ length: 146 }, (_, frame) => {
      return Math.ceil(((frame + 0.5) / 24) * (30_000 / 1001)) - 1;
    }),
  );

  const ticks = Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? 250 : 40));
  const uneven = await openVideo(await write({ frames: { ticks, ticksPerSecond: 1000 } }));
  assert.ok(Math.abs(uneven.seconds - 3.3) < 0.01, `${uneven.seconds} s`);
  const numbers = await numbersOf(uneven, { count: 79 });
  assert.deepEqual(numbers.slice(0, 10), [0, 0, 0, 0, 0, 0, 1, 2, 3, 3]);
  assert.equal(numbers.at(-1), 29);
});

test('applies the rotation in the file to size and pixels', async () => {
  const size = { width: 320, height: 180 };
  const upright = sampleFrame({ size, index: 1 });
  for (const orientation of ['right', 'half', 'left', 'mirrored', 'diagonal'] as const) {
    const file = await write({ frames: steady({ seconds: 0.25 }), size });
    await rotate(file, orientation);
    const source = await openVideo(file);
    const expected = rotated(upright, { size, orientation });
    assert.deepEqual(source.size, expected.size, orientation);
    const player = await source.play({ size: source.size, atEnd: 'hold', threads: 1 });
    await player.next();
    const decibels = similarity(await player.next(), expected.pixels);
    assert.ok(decibels > 28, `${orientation}: ${decibels.toFixed(1)} dB`);
    await player.close();
  }
});

function rotated(
  rgba: Buffer,
  { size, orientation }: { readonly size: Size; readonly orientation: Orientation },
): { size: Size; pixels: Buffer } {
  const { width, height } = size;
  const isTall = ['right', 'left', 'diagonal'].includes(orientation);
  const out = isTall ? { width: height, height: width } : size;
  const placeOf = (x: number, y: number): readonly [number, number] =>
    ({
      right: [height - 1 - y, x] as const,
      half: [width - 1 - x, height - 1 - y] as const,
      left: [y, width - 1 - x] as const,
      mirrored: [width - 1 - x, y] as const,
      diagonal: [y, x] as const,
    })[orientation];
  const pixels = Buffer.alloc(rgba.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [toX, toY] = placeOf(x, y);
      rgba.copy(pixels, (toY * out.width + toX) * 4, (y * width + x) * 4, (y * width + x + 1) * 4);
    }
  }
  return { size: out, pixels };
}

test('crops to another shape at the center, and returns the real last frame', async () => {
  const source = await openVideo(await write({ frames: steady({ seconds: 3 }) }));
  const last = await source.lastFrame(source.size);
  const expected = sampleFrame({ size: source.size, index: 71 });
  assert.ok(similarity(last.data(), expected) > 28, 'the last one');
  assert.equal(numberIn(last.data(), source.size), 71);
  const tall = await source.lastFrame({ width: 72, height: 90 });
  const middle = Buffer.concat(
    Array.from({ length: 90 }, (_, row) => {
      return expected.subarray((row * 160 + 44) * 4, (row * 160 + 116) * 4);
    }),
  );
  assert.ok(similarity(tall.data(), middle) > 25, 'its center');
});

test('rejects a hostile video, or plays it within bounds', async () => {
  const videos = (await makeHostileMedia()).filter(({ kind }) => kind === 'video');
  const file = join(folder, 'hostile');
  let rejected = 0;
  for (const { name, bytes } of videos) {
    await writeFile(file, bytes);
    try {
      const source = await openVideo(file);
      await numbersOf(source, { count: Math.round(Math.min(source.seconds, 2) * 24) });
    } catch (error) {
      assert.ok(error instanceof UnusableMaterial, `${name}: ${error}`);
      rejected += 1;
    }
  }
  assert.ok(rejected > videos.length / 2, `${rejected} of ${videos.length}`);
});

test('decodes ten videos of 1080p at the same time, and fewer larger ones', () => {
  const source = (width: number, height: number) =>
    ({ size: { width, height } }) as unknown as VideoSource;
  const stillsOf = (given: readonly VideoSource[]): boolean[] =>
    limitMemory(given).map(({ isStill }) => isStill);
  assert.ok(!stillsOf(Array.from({ length: 10 }, () => source(1920, 1080))).includes(true));
  assert.deepEqual(stillsOf(Array.from({ length: 4 }, () => source(3840, 2160))), [
    ...[false, false, true, true],
  ]);
});
