import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  between,
  firstDifference,
  largestStep,
  loudnessOf,
  peakOf,
  renderSamples,
  soundOf,
  toneLevel,
  toneOf,
} from '../testing/audio-analysis.ts';
import { mix } from './mix.ts';
import { createMusic } from './music.ts';

const tone = (hertz: number, seconds: number, level = 0.4) => toneOf({ hertz, seconds, level });
const music = (seconds: number) =>
  createMusic({ seed: 3, seconds, mood: 'calm', ambience: ['sea'], pace: 1 });

test('is exactly as long as the clip, whatever is given', async () => {
  for (const seconds of [2, 97 / 24, 3.3333]) {
    const samples = Math.round(seconds * 48_000) * 2;
    for (const given of [[], [tone(440, 1)], [tone(440, 9)], [tone(440, 1), tone(550, 1)]]) {
      for (const bed of [null, tone(90, seconds), tone(90, 0.5)]) {
        const sounds = given.map(soundOf);
        const heard = await renderSamples(
          mix({ given: sounds, bed: bed && soundOf(bed), seconds }),
        );
        assert.equal(heard.length, samples);
        assert.ok(sounds.every((sound) => sound.isClosed()));
      }
    }
  }
});

test('a given tone is heard far above the music, which comes back after it', async () => {
  const alone = await renderSamples(mix({ given: [], bed: music(6), seconds: 6 }));
  const heard = await renderSamples(
    mix({ given: [soundOf(tone(440, 2.5))], bed: music(6), seconds: 6 }),
  );
  const during = between(heard, 0.2, 2.1);
  assert.ok(toneLevel(during, 440) > 0.35, `440 Hz at ${toneLevel(during, 440)}`);
  const given = between(tone(440, 2.5), 0.2, 2.1);
  const rest = during.map((sample, at) => sample - given[at]!);
  const under = loudnessOf(rest) / loudnessOf(between(alone, 0.2, 2.1));
  assert.ok(Math.abs(20 * Math.log10(under) + 15) < 1, `music at ${20 * Math.log10(under)} dB`);
  assert.ok(toneLevel(between(heard, 3.5, 5), 440) < 0.05);
  const parting = firstDifference(between(heard, 3.5, 6), between(alone, 3.5, 6));
  assert.equal(parting, null, 'then the music is as it was');
});

test('recordings follow each other, each faded into the next without a click', async () => {
  const given = [tone(440, 1.5), tone(660, 1.5), tone(880, 1.5)];
  const heard = await renderSamples(mix({ given: given.map(soundOf), bed: null, seconds: 5 }));
  // The second begins 0.3 s before the first has ended.
  for (const [hertz, from, to] of [
    [440, 0.1, 1.1],
    [660, 1.6, 2.3],
    [880, 2.8, 3.5],
  ] as const) {
    assert.ok(toneLevel(between(heard, from, to), hertz) > 0.38, `${hertz} Hz in its turn`);
    for (const other of [440, 660, 880].filter((one) => one !== hertz)) {
      assert.ok(toneLevel(between(heard, from, to), other) < 0.03, `${other} Hz in another's turn`);
    }
  }
  assert.equal(peakOf(between(heard, 3.95, 5)), 0, 'each is heard once');
  assert.ok(largestStep(heard) < 0.06, `step ${largestStep(heard)}`);
});

test('a recording longer than the clip is faded out at its end', async () => {
  const heard = await renderSamples(
    mix({ given: [soundOf(tone(440, 9))], bed: music(3), seconds: 3 }),
  );
  assert.ok(toneLevel(between(heard, 0.1, 2.6), 440) > 0.38);
  assert.ok(peakOf(between(heard, 2.99, 3)) < 0.03);
});

test('the loudest recording over the loudest music never clips', async () => {
  const bed = soundOf(tone(110, 3, 1));
  const heard = await renderSamples(mix({ given: [soundOf(tone(440, 2, 1))], bed, seconds: 3 }));
  assert.ok(peakOf(heard) <= 0.951, `peak ${peakOf(heard)}`);
});

test('without music a single recording is kept to the sample, then cut or silent', async () => {
  const source = tone(313, 2.2, 0.9);
  const longer = await renderSamples(mix({ given: [soundOf(source)], bed: null, seconds: 3 }));
  assert.equal(firstDifference(longer.subarray(0, source.length), source), null);
  assert.equal(peakOf(longer.subarray(source.length)), 0);
  const shorter = await renderSamples(mix({ given: [soundOf(source)], bed: null, seconds: 1.5 }));
  assert.equal(firstDifference(shorter, source.subarray(0, shorter.length)), null);
});

test('very short and empty recordings do no harm', async () => {
  const given = [tone(440, 0.05), new Float32Array(0), tone(660, 1)].map(soundOf);
  const heard = await renderSamples(mix({ given, bed: null, seconds: 2 }));
  assert.ok(toneLevel(between(heard, 0.1, 0.7), 660) > 0.35);
  assert.ok(peakOf(heard) < 0.9);
});
