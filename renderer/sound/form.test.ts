import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../random.ts';
import { createForm } from './form.ts';
import { classesOf, classOf, tuneClasses, voicingOf } from './harmony.ts';
import { moodPlans } from './moods/moods.ts';
import { writeScore } from './score.ts';
import type { Mood } from './sound.ts';

const moods = Object.keys(moodPlans) as Mood[];

/** Every mood over the lengths a clip can have, each with several seeds. */
function* pieces() {
  for (const mood of moods) {
    for (const seconds of [4, 5, 6.5, 8, 10, 15, 22, 30]) {
      for (const seed of [1, 2, 3]) {
        const random = randomFrom(seed);
        const plan = moodPlans[mood];
        const form = createForm(random, { plan, seconds, pace: [0.6, 1, 1.8][seed - 1]! });
        yield { name: `${mood} ${seconds} s`, plan, form, seconds, random };
      }
    }
  }
}

test('whole chords fill the time up to an ending that has room to ring', () => {
  for (const { name, plan, form, seconds } of pieces()) {
    const last = form.passages.at(-1)!;
    const end = form.secondOf(last.firstBeat + last.beats);
    assert.ok(Math.abs(end - form.endingAt) < 1e-9, name);
    const ring = seconds - form.endingAt;
    assert.ok(ring > 1.4 && ring < 5, `${name}: rings ${ring}`);
    const beatsPerMinute = 60 / form.beatSeconds;
    const { from, to } = plan.beatsPerMinute;
    assert.ok(
      beatsPerMinute > from * 0.62 && beatsPerMinute < to * 1.65,
      `${name}: ${beatsPerMinute}`,
    );
  }
});

test('the pad moves by small steps and plays nothing but the chord', () => {
  for (const { name, plan, form, random } of pieces()) {
    const tonic = Math.round(random() * 6) + 45;
    let before: number[] | null = null;
    for (const { chord } of [...form.passages, { chord: plan.ending }]) {
      const voicing = voicingOf(chord, { tonic, before, range: plan.pad.range, voices: 4 });
      const classes = classesOf(chord, tonic);
      assert.equal(new Set(voicing).size, 4);
      assert.ok(
        voicing.every((pitch) => classes.includes(classOf(pitch))),
        name,
      );
      for (const [voice, pitch] of voicing.entries()) {
        assert.ok(!before || Math.abs(pitch - before[voice]!) <= 7, `${name}: a leap`);
      }
      before = voicing;
    }
  }
});

test('every tune stays in its range, and on notes that do not rub against the chord', () => {
  for (const { name, plan, form, random } of pieces()) {
    const { tonic, tune } = writeScore(random, plan, form);
    assert.ok(tune.length > 0, name);
    for (const { startsAt, pitch } of tune) {
      const passage = form.passages.findLast(
        ({ firstBeat }) => form.secondOf(firstBeat) <= startsAt + 1e-6,
      );
      const chord = startsAt >= form.endingAt ? plan.ending : passage!.chord;
      const allowed = tuneClasses(chord, { tonic, scale: plan.scale });
      assert.ok(allowed.includes(classOf(pitch)), `${name}: ${pitch} at ${startsAt}`);
      const { from, to } = plan.tune!.range;
      assert.ok(pitch >= from - 6 && pitch <= to + 6, `${name}: ${pitch}`);
    }
  }
});

test('no note begins after the ending has been struck and rolled', () => {
  for (const { name, plan, form, random, seconds } of pieces()) {
    const score = writeScore(random, plan, form);
    for (const note of [...score.pad, ...score.figure, ...score.tune, ...score.bass]) {
      assert.ok(note.startsAt < seconds - 0.5, `${name}: ${note.startsAt}`);
      assert.ok(note.loudness > 0 && note.loudness <= 1.01, `${name}: ${note.loudness}`);
      assert.ok(note.pan >= 0 && note.pan <= 1);
    }
  }
});
