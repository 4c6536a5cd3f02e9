/**
 * Generated sound has the length and loudness it should have, without clicks.
 * Thorough: synthesizes every mood and place.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  between,
  firstDifference,
  largestStep,
  loudnessOf,
  peakOf,
  renderSamples,
} from '../testing/audio-analysis.ts';
import type { Mood } from '../vocabulary/meaning.ts';
import { type AmbienceOptions, createAmbience } from './ambience.ts';
import type { Ambience } from './sound.ts';

const moods: readonly Mood[] = ['calm', 'joyful', 'epic', 'dark', 'dreamy', 'tense'];
const kinds: readonly Ambience[] = [
  ...(['wind', 'sea', 'rain', 'fire', 'birds', 'crickets', 'city', 'hum'] as const),
];

const render = (change: Partial<AmbienceOptions> = {}): Promise<Float32Array> =>
  renderSamples(createAmbience({ seed: 5, seconds: 4, mood: 'calm', ambience: [], ...change }));

test('the same options give the same samples, another seed gives others', async () => {
  const options = { mood: 'epic', ambience: ['rain', 'hum'] } as const;
  const first = await render(options);
  assert.equal(firstDifference(await render(options), first), null);
  assert.notEqual(firstDifference(await render({ ...options, seed: 6 }), first), null);
});

test('no mood clips or clicks, and each starts and ends in silence', async () => {
  for (const mood of moods) {
    const sound = await render({ mood, seconds: 5.5 });
    assert.ok(peakOf(sound) > 0.1 && peakOf(sound) < 0.85, `${mood}: peak ${peakOf(sound)}`);
    assert.ok(largestStep(sound) < 0.1, `${mood}: step ${largestStep(sound)}`);
    assert.ok(Math.abs(sound[0]!) < 0.001);
    assert.equal(peakOf(between(sound, 5.46, 5.5)), 0);
  }
});

test('every place is audible under the chords, and none drowns them', async () => {
  const chords = await render({ seconds: 5 });
  for (const kind of kinds) {
    const both = await render({ seconds: 5, ambience: [kind] });
    const share = loudnessOf(both.map((sample, at) => sample - chords[at]!)) / loudnessOf(chords);
    assert.ok(share > 0.1 && share < 1.5, `${kind} is ${share.toFixed(2)} of the chords`);
    assert.ok(peakOf(both) < 0.85);
  }
});
