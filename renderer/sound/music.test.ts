/**
 * Music has the length, loudness and mood it should have, without clicks.
 * Thorough: synthesizes music for every mood.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  between,
  dcOffsetOf,
  firstDifference,
  largestStep,
  loudnessOf,
  octavesOf,
  peakOf,
  renderSamples,
} from '../testing/audio-analysis.ts';
import type { Mood } from '../vocabulary/meaning.ts';
import { createMusic, type MusicOptions } from './music.ts';
import type { Ambience } from './sound.ts';

const moods: readonly Mood[] = ['calm', 'joyful', 'epic', 'dark', 'dreamy', 'tense'];
const ambiences: readonly Ambience[] = [
  ...(['wind', 'sea', 'rain', 'thunder', 'fire'] as const),
  ...(['birds', 'crickets', 'city', 'hum', 'water'] as const),
];

const render = (change: Partial<MusicOptions> = {}): Promise<Float32Array> =>
  renderSamples(
    createMusic({ seed: 5, seconds: 4, mood: 'calm', ambience: [], pace: 1, ...change }),
  );

test('is exactly as long as requested, to the sample', async () => {
  const lengths = [
    [4, 192_000],
    [97 / 24, 194_000],
    [5.3333, 255_998],
    [1, 48_000],
  ] as const;
  for (const [seconds, samples] of lengths) {
    const music = await render({ seconds, ambience: ['sea'] });
    assert.equal(music.length / 2, samples);
  }
});

test('the same options give the same samples, another seed gives others', async () => {
  const options = { mood: 'epic', ambience: ['rain', 'thunder', 'hum'] } as const;
  const first = await render(options);
  assert.equal(firstDifference(await render(options), first), null);
  assert.notEqual(firstDifference(await render({ ...options, seed: 6 }), first), null);
});

/** Seed and length. */
const takes = [
  [4_294_967_295, 4],
  [1, 7.5],
  [0, 5.5],
] as const;
/** The last take of each mood. */
const samples = new Map<Mood, Float32Array>();

for (const mood of moods) {
  test(`${mood}: never clips or clicks, starts and ends in silence`, async () => {
    for (const [seed, seconds] of takes) {
      const music = await render({ mood, seed, seconds });
      samples.set(mood, music);
      const peak = peakOf(music);
      assert.ok(peak > 0.3 && peak < 0.9, `peak ${peak}`);
      assert.ok(Math.abs(dcOffsetOf(music)) < 0.001, `offset ${dcOffsetOf(music)}`);
      assert.ok(largestStep(music) < 0.25, `step ${largestStep(music)}`);
      assert.ok(Math.abs(music[0]!) < 0.001);
      assert.equal(peakOf(between(music, seconds - 0.04, seconds)), 0);
      const body = loudnessOf(between(music, 0.5, seconds - 2));
      assert.ok(loudnessOf(between(music, 0.1, 0.6)) > body * 0.2, 'audible at once');
      const ringing = loudnessOf(between(music, seconds - 1.2, seconds - 0.9));
      assert.ok(ringing > body * 0.08, 'the last chord rings');
      assert.ok(loudnessOf(between(music, seconds - 0.25, seconds)) < body * 0.1, 'and fades out');
    }
  });
}

test('moods are about equally loud, and each differs from every other in its spectrum', () => {
  for (const mood of moods) {
    const loudness = loudnessOf(samples.get(mood)!);
    assert.ok(loudness > 0.05 && loudness < 0.13, `${mood}: ${loudness.toFixed(3)}`);
  }
  const octaves = moods.map((mood) => octavesOf(samples.get(mood)!));
  for (const [index, one] of octaves.entries()) {
    for (const [other, values] of octaves.slice(index + 1).entries()) {
      const difference = Math.max(...one.map((level, octave) => Math.abs(level - values[octave]!)));
      const pair = `${moods[index]} and ${moods[index + 1 + other]}`;
      assert.ok(difference > 1.5, `${pair} differ by ${difference.toFixed(1)} dB`);
    }
  }
});

test('every ambience is audible under the music, and none drowns it', async () => {
  const music = await render({ seconds: 5 });
  for (const kind of ambiences) {
    const both = await render({ seconds: 5, ambience: [kind] });
    const own = both.map((sample, at) => sample - music[at]!);
    const share = loudnessOf(own) / loudnessOf(music);
    assert.ok(share > 0.12 && share < 1.4, `${kind} is ${share.toFixed(2)} of the music`);
    assert.ok(peakOf(both) < 0.9);
    assert.equal(peakOf(between(both, 4.96, 5)), 0, `${kind} ends with the music`);
  }
});

test('several ambiences together stay in bounds', async () => {
  const music = await render({ mood: 'tense', ambience: ambiences });
  assert.ok(peakOf(music) > 0.3 && peakOf(music) < 0.9);
});
