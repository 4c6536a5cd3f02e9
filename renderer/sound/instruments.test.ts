import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../random.ts';
import {
  firstDifference,
  largestStep,
  loudnessOf,
  peakOf,
  toneLevel,
} from '../testing/audio-analysis.ts';
import { createEnsemble } from './ensemble.ts';
import { type Instrument, instruments } from './instruments.ts';
import { hertzOf, type Note } from './note.ts';
import { createReverberation } from './reverberation.ts';
import { createStereo, type Stereo, sampleRate } from './sound.ts';
import { createInverseTransform } from './spectrum.ts';
import { createStruck } from './struck.ts';
import { createTables, type Timbre } from './timbres.ts';

const note: Note = { startsAt: 0.1, seconds: 0.8, pitch: 69, loudness: 0.8, pan: 0.5 };

function interleaved({ left, right }: Stereo): Float32Array {
  const samples = new Float32Array(sampleRate * 2);
  for (let at = 0; at < sampleRate; at += 1) samples.set([left[at]!, right[at]!], at * 2);
  return samples;
}

/** A second of it, played in blocks of the given size. */
function played(play: (bus: Stereo, block: { from: number; count: number }) => void, size: number) {
  const whole = createStereo();
  for (let from = 0; from < sampleRate; from += size) {
    const bus = createStereo();
    const count = Math.min(size, sampleRate - from);
    play(bus, { from, count });
    whole.left.set(bus.left.subarray(0, count), from);
    whole.right.set(bus.right.subarray(0, count), from);
  }
  return interleaved(whole);
}

for (const instrument of Object.keys(instruments) as Instrument[]) {
  test(`${instrument}: in tune, without a click, the same in small blocks`, () => {
    const make = () =>
      createStruck({ instrument, notes: [note], loudness: 0.3, random: randomFrom(1) });
    const heard = played(make(), sampleRate);
    assert.ok(peakOf(heard.subarray(0, 9_600)) === 0, 'nothing before it is struck');
    assert.ok(toneLevel(heard, 440) > toneLevel(heard, 415) * 4, 'not in tune');
    assert.ok(toneLevel(heard, 440) > toneLevel(heard, 466) * 4, 'not in tune');
    assert.ok(largestStep(heard) < peakOf(heard) * 0.6, `step ${largestStep(heard)}`);
    const pieces = played(make(), 7_001);
    assert.ok(pieces.every((sample, at) => Math.abs(sample - heard[at]!) < 1e-6));
  });
}

test('every ensemble is in tune and as loud as the others', () => {
  const tables = createTables(7);
  for (const timbre of ['warm', 'strings', 'grand', 'shade', 'glass', 'brass', 'drone'] as const) {
    const heard = played(ensembleOf(timbre), sampleRate);
    const near = [437, 438.5, 440, 441.5, 443].map((hertz) => toneLevel(heard, hertz));
    const far = [415, 466].map((hertz) => toneLevel(heard, hertz));
    assert.ok(Math.max(...near) > Math.max(...far) * 3, timbre);
    const loudness = loudnessOf(heard.subarray(sampleRate));
    assert.ok(loudness > 0.03 && loudness < 0.3, `${timbre}: ${loudness}`);
  }

  function ensembleOf(timbre: Timbre) {
    return createEnsemble({
      ...{ timbre, tables, notes: [note], loudness: 1, random: randomFrom(2) },
      bowing: { attackSeconds: 0.1, releaseSeconds: 0.1 },
    });
  }
});

test('a table is the same whichever was asked for before it', () => {
  const [one, other] = [createTables(3), createTables(3)];
  other('brass', 40);
  const { samples } = one('warm', 60);
  assert.equal(firstDifference(samples, other('warm', 60).samples), null);
  assert.notEqual(firstDifference(samples, createTables(4)('warm', 60).samples), null);
});

test('the room answers a click for as long as it should, and the sides differ', () => {
  const room = createReverberation({ seconds: 1, softness: 0.3 });
  const answers: Float32Array[] = [];
  for (let second = 0; second < 2; second += 1) {
    const bus = createStereo();
    if (second === 0) bus.left[0] = bus.right[0] = 1;
    room(bus, sampleRate);
    assert.notEqual(firstDifference(bus.left, bus.right), null);
    answers.push(interleaved(bus));
  }
  const [early, late] = [answers[0]!.subarray(0, 24_000), answers[1]!.subarray(0, 24_000)];
  const fall = 20 * Math.log10(loudnessOf(late) / loudnessOf(early));
  assert.ok(fall < -45 && fall > -90, `${fall} dB after a second`);
  assert.equal(peakOf(answers[0]!.subarray(0, 1_400)), 0, 'the room is some way off');
});

test('one line of a spectrum becomes one wave', () => {
  const real = new Float64Array(64);
  const imaginary = new Float64Array(64);
  real[5] = 1;
  createInverseTransform(64)(real, imaginary);
  for (let at = 0; at < 64; at += 1) {
    assert.ok(Math.abs(real[at]! - Math.cos((2 * Math.PI * 5 * at) / 64)) < 1e-12);
    assert.ok(Math.abs(imaginary[at]! - Math.sin((2 * Math.PI * 5 * at) / 64)) < 1e-12);
  }
  assert.ok(Math.abs(hertzOf(57) - 220) < 1e-9);
});
