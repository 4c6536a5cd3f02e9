import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { openScratch } from '../testing/rendered.ts';
import { numberIn, steady, writeVideo } from '../testing/video-files.ts';
import { videoFace } from './face.ts';
import { openVideo, sharingMemory, type VideoSource } from './video.ts';

test('plays on a card at its own pace, and begins again', async () => {
  await using scratch = await openScratch();
  const file = await writeVideo(join(scratch.folder, 'video'), { frames: steady({ seconds: 1 }) });
  const source = await openVideo(file);
  const shown = async (given: VideoSource, times: readonly number[]): Promise<number[]> => {
    const face = await videoFace(given, { longestSide: 120 });
    assert.ok(Math.abs(face.shape - 16 / 9) < 0.01);
    const size = { width: 96, height: 54 };
    const canvas = createCanvas(size.width, size.height);
    const numbers: number[] = [];
    for (const frame of times) {
      await face.draw(canvas.getContext('2d'), { x: 0, y: 0, ...size }, frame / 24);
      numbers.push(numberIn(canvas.data(), size));
    }
    await face.close?.();
    return numbers;
  };
  const all = Array.from({ length: 26 }, (_, frame) => frame);
  assert.deepEqual(await shown(source, all), [...all.slice(0, 24), 0, 1]);
  const heavy = { ...source, isHeavy: true };
  assert.deepEqual(await shown(heavy, [0, 5, 6, 18, 23, 24]), [0, 0, 6, 18, 18, 0]);
});

test('ten videos of 1080p are decoded together, of larger ones fewer', () => {
  const source = (width: number, height: number) =>
    ({ size: { width, height } }) as unknown as VideoSource;
  const heavy = (given: readonly VideoSource[]): boolean[] =>
    sharingMemory(given).map(({ isHeavy }) => isHeavy);
  assert.ok(!heavy(Array.from({ length: 10 }, () => source(1920, 1080))).includes(true));
  assert.deepEqual(heavy(Array.from({ length: 4 }, () => source(3840, 2160))), [
    ...[false, false, true, true],
  ]);
});
