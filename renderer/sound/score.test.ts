import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../random.ts';
import { firstDifference, largestStep, peakOf, toneLevel } from '../testing/audio-analysis.ts';
import { createVoices, hertzOf, type Instrument } from './instruments.ts';
import { moods } from './moods.ts';
import { createReverb } from './reverb.ts';
import { composeScore } from './score.ts';
import { createStereo, type Stereo, sampleRate } from './sound.ts';

test('notes fit the clip in every mood, and the last chord has time to ring', () => {
  for (const [name, mood] of Object.entries(moods)) {
    for (const seconds of [4, 5, 6.5, 8, 10, 15, 22, 30]) {
      for (const [seed, pace] of [0.6, 1, 1.8].entries()) {
        const score = composeScore(randomFrom(seed), mood, { seconds, pace });
        const about = `${name} ${seconds} s`;
        const ring = seconds - score.endingAt;
        assert.ok(ring > 1.4 && ring < 5, `${about}: rings ${ring}`);
        const tempo = 60 / score.beatSeconds;
        const { from, to } = mood.beatsPerMinute;
        assert.ok(tempo > from * 0.55 && tempo < to * 1.65, `${about}: ${tempo}`);
        for (const note of [...score.pad, ...score.figure, ...score.bass]) {
          assert.ok(note.startsAt < seconds - 0.5, `${about}: ${note.startsAt}`);
          assert.ok(note.loudness > 0 && note.loudness <= 1.01, `${about}: ${note.loudness}`);
          assert.ok(note.pan >= 0 && note.pan <= 1 && note.pitch > 30 && note.pitch < 100);
        }
      }
    }
  }
});

const note = { startsAt: 0.1, seconds: 0.8, pitch: 69, loudness: 0.8, pan: 0.5 };
const instruments = {
  pad: () => createVoices([note], { level: 0.2, random: randomFrom(1) }),
  pluck: () =>
    createVoices([note], {
      ...{ level: 0.3, random: randomFrom(1) },
      pluck: { decaySeconds: 2, brightness: 0.5 },
    }),
};

/** One second of it, in blocks of the given size. */
function played(play: Instrument, size: number): Float32Array {
  const samples = new Float32Array(sampleRate * 2);
  for (let from = 0; from < sampleRate; from += size) {
    const bus = createStereo();
    const count = Math.min(size, sampleRate - from);
    play(bus, { from, count });
    for (let at = 0; at < count; at += 1) {
      samples.set([bus.left[at]!, bus.right[at]!], (from + at) * 2);
    }
  }
  return samples;
}

for (const [name, create] of Object.entries(instruments)) {
  test(`the ${name} is in tune, does not click, and is the same in small blocks`, () => {
    const samples = played(create(), sampleRate);
    assert.equal(peakOf(samples.subarray(0, 9_600)), 0, 'silent before the note');
    assert.ok(toneLevel(samples, hertzOf(69)) > toneLevel(samples, hertzOf(68)) * 3);
    assert.ok(toneLevel(samples, hertzOf(69)) > toneLevel(samples, hertzOf(70)) * 3);
    assert.ok(largestStep(samples) < peakOf(samples) * 0.6, `step ${largestStep(samples)}`);
    const pieces = played(create(), 7_001);
    assert.ok(pieces.every((sample, at) => Math.abs(sample - samples[at]!) < 1e-3));
  });
}

test('the reverb falls by 60 dB in about its time, and its channels differ', () => {
  const reverb = createReverb({ seconds: 1 });
  const seconds: Stereo[] = [];
  for (let second = 0; second < 2; second += 1) {
    const bus = createStereo();
    if (second === 0) bus.left[0] = bus.right[0] = 1;
    reverb(bus, sampleRate);
    assert.notEqual(firstDifference(bus.left, bus.right), null);
    seconds.push(bus);
  }
  const power = (samples: Float32Array): number =>
    samples.subarray(0, sampleRate / 2).reduce((sum, sample) => sum + sample * sample, 0);
  const fall = 10 * Math.log10(power(seconds[1]!.left) / power(seconds[0]!.left));
  assert.ok(fall < -45 && fall > -90, `${fall} dB after a second`);
  assert.equal(peakOf(seconds[0]!.left.subarray(0, 700)), 0, 'a short delay first');
});
