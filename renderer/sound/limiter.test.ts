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

test('what is too loud is turned down below the ceiling, and stays a tone', async () => {
  const heard = await renderSamples(limited(soundOf(loudTone(2.4)), 0.8));
  assert.equal(heard.length, loudTone(1).length);
  const peak = peakOf(heard);
  assert.ok(peak < 0.8001 && peak > 0.75, `peak ${peak}`);
  assert.ok(largestStep(heard) < largestStep(loudTone(0.85)), 'bent, it would have corners');
});

test('what is not too loud passes as it is', async () => {
  const quiet = loudTone(0.5);
  assert.equal(firstDifference(await renderSamples(limited(soundOf(quiet), 0.8)), quiet), null);
});

test('a single burst is turned down in time, wherever a block ends', async () => {
  for (const at of [10, 17_998, 18_000, 48_000, 96_000, 200_000]) {
    const samples = loudTone(0.3);
    samples.fill(0.99, at * 1, at + 40);
    const heard = await renderSamples(limited(soundOf(samples), 0.6));
    assert.ok(peakOf(heard) <= 0.6 + 1e-6, `a burst at ${at}: ${peakOf(heard)}`);
  }
});

test('closes what it limits', async () => {
  const sound = soundOf(loudTone(1));
  await limited(sound, 0.5).close();
  assert.ok(sound.isClosed());
});
