import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  firstDifference,
  largestStep,
  peakOf,
  renderSamples,
  soundOf,
  toneOf,
} from '../testing/audio-analysis.ts';
import { limited } from './limiter.ts';

const loudTone = (level: number) => toneOf({ hertz: 220, seconds: 2.5, level });

test('lowers a loud sound below the ceiling without distorting it', async () => {
  const samples = await renderSamples(limited(soundOf(loudTone(2.4)), 0.8));
  assert.equal(samples.length, loudTone(1).length);
  const peak = peakOf(samples);
  assert.ok(peak < 0.8001 && peak > 0.75, `peak ${peak}`);
  assert.ok(largestStep(samples) < largestStep(loudTone(0.85)), 'clipping would have corners');
});

test('leaves a quiet sound unchanged', async () => {
  const quiet = loudTone(0.5);
  assert.equal(firstDifference(await renderSamples(limited(soundOf(quiet), 0.8)), quiet), null);
});

test('lowers a single burst in time, wherever a block ends', async () => {
  for (const at of [10, 17_998, 18_000, 48_000, 96_000, 200_000]) {
    const samples = loudTone(0.3);
    samples.fill(0.99, at, at + 40);
    const peak = peakOf(await renderSamples(limited(soundOf(samples), 0.6)));
    assert.ok(peak <= 0.6 + 1e-6, `a burst at ${at}: ${peak}`);
  }
});
