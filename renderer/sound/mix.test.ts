/**
 * Thorough: renders frames or seconds of sound.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  between,
  firstDifference,
  loudnessOf,
  peakOf,
  renderSamples,
  soundOf,
  toneLevel,
  toneOf,
} from '../testing/audio-analysis.ts';
import { createAmbience } from './ambience.ts';
import { mix } from './mix.ts';

const tone = (hertz: number, seconds: number, level = 0.4) => toneOf({ hertz, seconds, level });
const music = (seconds: number) =>
  createAmbience({ seed: 3, seconds, mood: 'calm', ambience: ['sea'] });

test('is exactly as long as the clip, with any tracks and background', async () => {
  for (const seconds of [2, 97 / 24, 3.3333]) {
    const length = Math.round(seconds * 48_000) * 2;
    for (const given of [[], [tone(440, 1)], [tone(440, 9)], [tone(440, 1), tone(550, 1)]]) {
      for (const background of [null, tone(90, seconds), tone(90, 0.5)]) {
        const sounds = given.map(soundOf);
        const samples = await renderSamples(
          mix({ tracks: sounds, background: background && soundOf(background), seconds }),
        );
        assert.equal(samples.length, length);
        assert.ok(sounds.every((sound) => sound.isClosed()));
      }
    }
  }
});

test('lowers the music by 15 dB under a track and restores it afterwards', async () => {
  const alone = await renderSamples(mix({ tracks: [], background: music(6), seconds: 6 }));
  const samples = await renderSamples(
    mix({ tracks: [soundOf(tone(440, 2.5))], background: music(6), seconds: 6 }),
  );
  const during = between(samples, 0.2, 2.1);
  assert.ok(toneLevel(during, 440) > 0.35, `440 Hz at ${toneLevel(during, 440)}`);
  const given = between(tone(440, 2.5), 0.2, 2.1);
  const rest = during.map((sample, at) => sample - given[at]!);
  const under = loudnessOf(rest) / loudnessOf(between(alone, 0.2, 2.1));
  assert.ok(Math.abs(20 * Math.log10(under) + 15) < 1, `music at ${20 * Math.log10(under)} dB`);
  assert.ok(toneLevel(between(samples, 3.5, 5), 440) < 0.05);
  const difference = firstDifference(between(samples, 3.5, 6), between(alone, 3.5, 6));
  assert.equal(difference, null, 'the music is unchanged afterwards');
});

test('plays tracks one after the other, each once', async () => {
  const given = [tone(440, 1.5), tone(660, 1.5)];
  const samples = await renderSamples(
    mix({ tracks: given.map(soundOf), background: null, seconds: 4 }),
  );
  for (const [hertz, other, from, to] of [
    [440, 660, 0.1, 1.4],
    [660, 440, 1.6, 2.9],
  ] as const) {
    assert.ok(toneLevel(between(samples, from, to), hertz) > 0.38, `${hertz} Hz while it plays`);
    assert.ok(toneLevel(between(samples, from, to), other) < 0.03);
  }
  assert.equal(peakOf(between(samples, 3, 4)), 0);
});

test('never clips, even with the loudest track over the loudest music', async () => {
  const background = soundOf(tone(110, 3, 1));
  const samples = await renderSamples(
    mix({ tracks: [soundOf(tone(440, 2, 1))], background, seconds: 3 }),
  );
  assert.ok(peakOf(samples) <= 0.951, `peak ${peakOf(samples)}`);
});

test('keeps a single sound unchanged, then cuts it or adds silence', async () => {
  const source = tone(313, 2.2, 0.9);
  const longer = await renderSamples(
    mix({ tracks: [soundOf(source)], background: null, seconds: 3 }),
  );
  assert.equal(firstDifference(longer.subarray(0, source.length), source), null);
  assert.equal(peakOf(longer.subarray(source.length)), 0);
  const shorter = await renderSamples(
    mix({ tracks: [soundOf(source)], background: null, seconds: 1.5 }),
  );
  assert.equal(firstDifference(shorter, source.subarray(0, shorter.length)), null);
});
