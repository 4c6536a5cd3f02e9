import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  between,
  firstDifference,
  largestStep,
  loudnessOf,
  octavesOf,
  offsetOf,
  peakOf,
  renderSamples,
} from '../testing/audio-analysis.ts';
import { createMusic, type MusicOptions } from './music.ts';
import type { Ambience, Mood } from './sound.ts';

const isThorough = process.env.VIDGEN_TEST_THOROUGH === '1';
const moods: readonly Mood[] = ['calm', 'joyful', 'epic', 'dark', 'dreamy', 'tense'];
const ambiences: readonly Ambience[] = [
  ...(['wind', 'sea', 'rain', 'thunder', 'fire'] as const),
  ...(['birds', 'crickets', 'city', 'hum', 'water'] as const),
];

const listen = (change: Partial<MusicOptions> = {}): Promise<Float32Array> =>
  renderSamples(
    createMusic({ seed: 5, seconds: 4, mood: 'calm', ambience: [], pace: 1, ...change }),
  );

test('is exactly as long as asked, to the sample', async () => {
  const lengths = [
    [4, 192_000],
    [97 / 24, 194_000],
    [5.3333, 255_998],
    [1, 48_000],
  ] as const;
  for (const [seconds, samples] of lengths) {
    const heard = await listen({ seconds, ambience: ['sea'] });
    assert.equal(heard.length / 2, samples);
  }
});

test('the same options give the same samples, another seed others', async () => {
  const options = { mood: 'epic', ambience: ['rain', 'thunder', 'hum'] } as const;
  const first = await listen(options);
  assert.equal(firstDifference(await listen(options), first), null);
  assert.notEqual(firstDifference(await listen({ ...options, seed: 6 }), first), null);
});

/** A seed, and how long to listen. */
const takes = [[4_294_967_295, 4], ...(isThorough ? [[1, 7.5] as const] : []), [0, 5.5]] as const;
/** The last take of each. */
const samples = new Map<Mood, Float32Array>();

for (const mood of moods) {
  test(`${mood}: never clips or clicks, begins and ends in silence`, async () => {
    for (const [seed, seconds] of takes) {
      const heard = await listen({ mood, seed, seconds });
      samples.set(mood, heard);
      const peak = peakOf(heard);
      assert.ok(peak > 0.3 && peak < 0.9, `peak ${peak}`);
      assert.ok(Math.abs(offsetOf(heard)) < 0.001, `offset ${offsetOf(heard)}`);
      assert.ok(largestStep(heard) < 0.25, `step ${largestStep(heard)}`);
      assert.ok(Math.abs(heard[0]!) < 0.001);
      assert.equal(peakOf(between(heard, seconds - 0.04, seconds)), 0);
      const body = loudnessOf(between(heard, 0.5, seconds - 2));
      // It is there at once, rings at the end, and is gone before the cut.
      assert.ok(loudnessOf(between(heard, 0.1, 0.6)) > body * 0.2);
      assert.ok(loudnessOf(between(heard, seconds - 1.2, seconds - 0.9)) > body * 0.08);
      assert.ok(loudnessOf(between(heard, seconds - 0.25, seconds)) < body * 0.1);
    }
  });
}

test('a step from one block to the next is no larger than within one', async () => {
  const heard = await listen({ mood: 'dreamy', ambience: ['water', 'wind'], seconds: 6 });
  const largest = largestStep(heard);
  for (let second = 1; second < 6; second += 1) {
    const at = second * 96_000;
    assert.ok(largestStep(heard.subarray(at - 2, at + 2)) <= largest);
    assert.ok(largestStep(heard.subarray(at - 2, at + 2)) < 0.1);
  }
});

test('each mood sounds different from every other', async () => {
  const octaves = moods.map((mood) => octavesOf(samples.get(mood)!));
  for (const [index, one] of octaves.entries()) {
    for (const [other, values] of octaves.slice(index + 1).entries()) {
      const difference = Math.max(...one.map((level, octave) => Math.abs(level - values[octave]!)));
      const pair = `${moods[index]} and ${moods[index + 1 + other]}`;
      assert.ok(difference > 1.5, `${pair} differ by ${difference.toFixed(1)} dB`);
    }
  }
});

test('a quick camera makes quicker music', async () => {
  const [slow, fast] = [await listen({ pace: 0.6 }), await listen({ pace: 1.8 })];
  assert.equal(slow.length, fast.length);
  assert.notEqual(firstDifference(slow, fast), null);
});

test('every ambience is heard under the music, and none over it', async () => {
  const music = await listen({ seconds: 5 });
  for (const kind of ambiences) {
    const heard = await listen({ seconds: 5, ambience: [kind] });
    const own = heard.map((sample, at) => sample - music[at]!);
    const share = loudnessOf(own) / loudnessOf(music);
    assert.ok(share > 0.12 && share < 1.4, `${kind} is ${share.toFixed(2)} of the music`);
    assert.ok(peakOf(heard) < 0.9);
    assert.equal(peakOf(between(heard, 4.96, 5)), 0, `${kind} ends with the music`);
  }
});

test('several ambiences together stay in bounds', async () => {
  const heard = await listen({ mood: 'tense', ambience: ambiences });
  assert.ok(peakOf(heard) > 0.3 && peakOf(heard) < 0.9);
});
