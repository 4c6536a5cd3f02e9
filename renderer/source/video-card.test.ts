import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { openScratch } from '../testing/rendered.ts';
import { numberIn, steady, writeVideo } from '../testing/video-files.ts';
import { limitMemory, openVideo, type VideoSource } from './video.ts';
import { videoCard } from './video-card.ts';

test('plays at its own speed and loops', async () => {
  await using scratch = await openScratch();
  const file = await writeVideo(join(scratch.folder, 'video'), { frames: steady({ seconds: 1 }) });
  const source = await openVideo(file);
  const shown = async (given: VideoSource, times: readonly number[]): Promise<number[]> => {
    const card = await videoCard(given, { longestSide: 120 });
    assert.ok(Math.abs(card.aspect - 16 / 9) < 0.01);
    const size = { width: 96, height: 54 };
    const canvas = createCanvas(size.width, size.height);
    const numbers: number[] = [];
    for (const frame of times) {
      await card.draw(canvas.getContext('2d'), { x: 0, y: 0, ...size }, frame / 24);
      numbers.push(numberIn(canvas.data(), size));
    }
    await card.close?.();
    return numbers;
  };
  const all = Array.from({ length: 26 }, (_, frame) => frame);
  assert.deepEqual(await shown(source, all), [...all.slice(0, 24), 0, 1]);
  assert.deepEqual(await shown({ ...source, isStill: true }, [0, 5]), [23, 23]);
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
