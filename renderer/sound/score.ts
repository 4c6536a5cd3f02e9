/**
 * The notes of a piece: chords led voice by voice, a figure that breaks them, a bass, a tune made
 * of two short ideas that come back, drums, and an ending that rings out. All from one seed.
 */
import { between, oneOf, type Random } from '../random.ts';
import { type Hit, swellSeconds } from './drums.ts';
import type { Form, Passage } from './form.ts';
import { classesOf, classOf, nearest, voicingOf } from './harmony.ts';
import type { MoodPlan, Step } from './moods/plan.ts';
import type { Note } from './note.ts';
import { writeTune } from './tune.ts';

export type Score = {
  readonly tonic: number;
  readonly pad: readonly Note[];
  readonly figure: readonly Note[];
  readonly tune: readonly Note[];
  readonly bass: readonly Note[];
  readonly hits: readonly Hit[];
};

/** A passage with the pitches that its pad holds. */
type Voiced = Passage & { readonly voicing: readonly number[]; readonly isEnding: boolean };

const padVoices = 4;

export function writeScore(random: Random, plan: MoodPlan, form: Form): Score {
  const tonic = Math.round(between(random, plan.tonic));
  const passages = lead(plan, form, tonic);
  return {
    tonic,
    pad: writePad(random, form, passages),
    figure: writeFigure(random, plan, { form, passages, tonic }),
    tune: writeTune(random, plan, { form, tonic }),
    bass: writeBass(plan, { form, passages, tonic }),
    hits: writeHits(random, plan, form),
  };
}

function lead(plan: MoodPlan, form: Form, tonic: number): Voiced[] {
  const beats = Math.round((form.endingAt - form.secondOf(0)) / form.beatSeconds);
  const ending: Passage = {
    chord: plan.ending,
    firstBeat: beats,
    beats: (form.seconds - form.endingAt) / form.beatSeconds,
  };
  let before: readonly number[] | null = null;
  return [...form.passages, ending].map((passage) => {
    before = voicingOf(passage.chord, {
      ...{ tonic, before },
      range: plan.pad.range,
      voices: padVoices,
    });
    return { ...passage, voicing: before, isEnding: passage === ending };
  });
}

/** Notes that stay are tied over, so that a change of chord moves only what moves. */
function writePad(random: Random, form: Form, passages: readonly Voiced[]): Note[] {
  const notes: Note[] = [];
  const pans = Array.from({ length: padVoices }, () => between(random, { from: 0.3, to: 0.7 }));
  for (const [index, { voicing, firstBeat, isEnding }] of passages.entries()) {
    for (const [voice, pitch] of voicing.entries()) {
      if (passages[index - 1]?.voicing[voice] === pitch) continue;
      let last = index;
      while (passages[last + 1]?.voicing[voice] === pitch) last += 1;
      const startsAt = form.secondOf(firstBeat);
      const end = passages[last]!;
      const endsAt = form.secondOf(end.firstBeat + end.beats);
      // The first chord is under way when the clip begins; each next one is begun a moment early.
      const early = index === 0 ? 0.45 : 0.16;
      notes.push({
        startsAt: startsAt - early,
        seconds: endsAt - startsAt + (end.isEnding ? 0 : early),
        pitch,
        loudness:
          (isEnding ? 0.95 : 0.5 + 0.5 * form.fullness(startsAt)) * (voice === 3 ? 1 : 0.85),
        pan: pans[voice]!,
      });
    }
  }
  return notes;
}

type Context = {
  readonly form: Form;
  readonly passages: readonly Voiced[];
  readonly tonic: number;
};

/** The chord as a ladder: its root at the foot, then what the pad holds, and that an octave up. */
function ladderOf(passage: Voiced, plan: MoodPlan, tonic: number): number[] {
  const rungs = passage.voicing.map((pitch) => pitch + plan.figure.lift);
  const root = classesOf(passage.chord, tonic)[0]!;
  const foot = rungs[0]! - (classOf(rungs[0]! - root) || 12);
  const ladder = new Set([foot, ...rungs, ...rungs.map((pitch) => pitch + 12)]);
  return [...ladder].toSorted((one, other) => one - other);
}

function writeFigure(random: Random, plan: MoodPlan, { form, passages, tonic }: Context): Note[] {
  const { patterns, stepsPerBeat } = plan.figure;
  const pattern = oneOf(random, patterns);
  const stepSeconds = form.beatSeconds / stepsPerBeat;
  const isStruck = 'struck' in plan.figure.player;
  const notes: Note[] = [];
  const add = (pitch: number, startsAt: number, strength: number): void => {
    notes.push({
      startsAt: startsAt + (isStruck ? between(random, { from: 0, to: 0.012 }) : 0),
      seconds: stepSeconds * 0.9,
      pitch,
      loudness: strength * between(random, { from: 0.85, to: 1 }),
      pan: Math.min(0.78, Math.max(0.22, 0.5 + (pitch - 64) / 60)),
    });
  };
  for (const passage of passages) {
    const ladder = ladderOf(passage, plan, tonic);
    const startsAt = form.secondOf(passage.firstBeat);
    if (passage.isEnding) {
      roll(ladder, startsAt, { form, add });
      continue;
    }
    for (let step = 0; step < passage.beats * stepsPerBeat; step += 1) {
      const place: Step = pattern[(passage.firstBeat * stepsPerBeat + step) % pattern.length]!;
      const at = startsAt + step * stepSeconds;
      const accent = step === 0 ? 1 : step % stepsPerBeat === 0 ? 0.85 : 0.7;
      for (const rung of place === null ? [] : [place].flat()) {
        add(ladder[rung as number]!, at, accent * (0.62 + 0.38 * form.fullness(at)));
      }
    }
  }
  return notes;
}

/** The last chord is broken upwards, slower and softer towards the top. */
function roll(
  ladder: readonly number[],
  startsAt: number,
  { form, add }: { form: Form; add: (pitch: number, at: number, strength: number) => void },
): void {
  const rungs = ladder.slice(0, 6);
  const gap = Math.min(form.beatSeconds / 3, (form.seconds - startsAt) / 14);
  let at = startsAt;
  for (const [index, pitch] of rungs.entries()) {
    add(pitch, at, 0.95 - index * 0.07);
    at += gap * (1 + index * 0.12);
  }
}

function writeBass(plan: MoodPlan, { form, passages, tonic }: Context): Note[] {
  const { beats, low } = plan.bass;
  return passages.flatMap((passage) => {
    const pitch = nearest(classesOf(passage.chord, tonic)[0]!, low + 5);
    const strokes = passage.isEnding ? [0] : beats.filter((beat) => beat < passage.beats);
    return strokes.map((beat, index) => {
      const until = strokes[index + 1] ?? passage.beats;
      const startsAt = form.secondOf(passage.firstBeat + beat);
      const isHeld = beats.length === 1;
      return {
        startsAt: isHeld ? startsAt - 0.05 : startsAt,
        seconds: (until - beat) * form.beatSeconds,
        // The fifth, now and then, keeps a lively bass from standing still.
        pitch: beats.length === 4 && beat === 3.5 ? pitch + 7 : pitch,
        loudness: (beat === 0 ? 1 : 0.72) * (0.65 + 0.35 * form.fullness(startsAt)),
        pan: 0.5,
      };
    });
  });
}

const pans: Partial<Record<Hit['drum'], number>> = { shaker: 0.64, snap: 0.42, tick: 0.6 };

/** Drums join when the piece has begun; before a short one is over they still get their turn. */
function writeHits(random: Random, plan: MoodPlan, form: Form): Hit[] {
  const hits: Hit[] = [];
  const beats = form.passages.reduce((sum, passage) => sum + passage.beats, 0);
  const firstBeat =
    form.passages.length < 4 ? 0 : form.passages[form.passages.length < 7 ? 1 : 2]!.firstBeat;
  for (const { drum, steps, loudness } of plan.drums) {
    for (let step = firstBeat * 4; step < beats * 4; step += 1) {
      const mark = steps[step % steps.length];
      if (mark === '.') continue;
      const startsAt = form.secondOf(step / 4);
      const strength = (mark === 'X' ? 1 : 0.66) * (0.6 + 0.4 * form.fullness(startsAt));
      const touch = between(random, { from: 0.88, to: 1 });
      hits.push({ drum, startsAt, loudness: loudness * strength * touch, pan: pans[drum] ?? 0.5 });
    }
  }
  for (const { drum, loudness } of plan.finale) {
    const lead = drum === 'swell' ? swellSeconds : 0;
    hits.push({ drum, startsAt: form.endingAt - lead, loudness, pan: 0.5 });
  }
  return hits;
}
