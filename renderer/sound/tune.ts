/** A tune over the chords: two short ideas, repeated and answered, on notes that fit the chord. */
import { between, oneOf, type Random } from '../random.ts';
import type { Form } from './form.ts';
import { type Chord, classesOf, classOf, nearestOf, type Range, tuneClasses } from './harmony.ts';
import type { MoodPlan } from './moods/plan.ts';
import type { Note } from './note.ts';

/** When notes begin, in beats of a passage of four; a short passage plays the first half. */
type Beats = readonly number[];
const rhythms: Record<'sparse' | 'flowing' | 'lively', readonly [Beats, ...Beats[]]> = {
  sparse: [
    [0, 2],
    [0, 1.5, 2],
    [0, 3],
    [1, 2],
    [0, 1, 2],
  ],
  flowing: [
    [0, 1, 1.5, 2],
    [0, 1.5, 2, 3],
    [0.5, 1, 2, 2.5, 3],
    [0, 1, 2, 3],
  ],
  lively: [
    [0, 0.75, 1.5, 2, 3],
    [0, 0.5, 1, 2, 2.5, 3],
    [0.5, 1, 1.5, 2, 3, 3.5],
    [0, 0.75, 1.5, 2.5, 3, 3.5],
  ],
};

/** Steps along the notes that fit, from the idea's first one. */
const contours: readonly [readonly number[], ...(readonly number[])[]] = [
  [0, 1, 2, 1, 0, -1],
  [0, -1, 0, 1, 2, 1],
  [2, 1, 0, 1, 0, -1],
  [0, 2, 1, 0, 1, 2],
  [0, 1, 3, 2, 1, 0],
];

type Idea = { readonly rhythm: readonly number[]; readonly contour: readonly number[] };

export function writeTune(
  random: Random,
  plan: MoodPlan,
  { form, tonic }: { readonly form: Form; readonly tonic: number },
): Note[] {
  if (!plan.tune) return [];
  const { range, liveliness } = plan.tune;
  const idea = (): Idea => ({
    rhythm: oneOf(random, rhythms[liveliness]),
    contour: oneOf(random, contours),
  });
  const [first, answer] = [idea(), idea()];
  const centre = (range.from + range.to) / 2;
  const { passages, beatSeconds } = form;
  // Chords alone first; then the tune, as first idea, again, answer, again.
  const entry = passages.length < 3 ? 0 : passages.length < 6 ? 1 : 2;
  const notes: Note[] = [];
  let anchor = centre - 2;
  for (const [index, { chord, firstBeat, beats }] of passages.entries()) {
    if (index < entry) continue;
    const { rhythm, contour } = (index - entry) % 4 === 2 ? answer : first;
    const rise = Math.sin((Math.PI * (index - entry + 1)) / (passages.length - entry + 1));
    anchor = nearestOf(classesOf(chord, tonic), (anchor + centre + 5 * rise - 1) / 2);
    const ladder = rungsOf(chord, { plan, tonic, range });
    const starts = rhythm.filter((beat) => beat < beats);
    for (const [at, beat] of starts.entries()) {
      const startsAt = form.secondOf(firstBeat + beat);
      const isStrong = beat % 2 === 0;
      const wished = ladder[place(ladder, anchor) + contour[at]!] ?? anchor;
      notes.push({
        startsAt: startsAt + between(random, { from: 0, to: 0.015 }),
        seconds: ((starts[at + 1] ?? beats) - beat) * beatSeconds * 0.95,
        pitch: isStrong ? nearestOf(classesOf(chord, tonic), wished) : wished,
        loudness: (isStrong ? 1 : 0.8) * (0.7 + 0.3 * form.fullness(startsAt)),
        pan: 0.56,
      });
    }
  }
  const home = classesOf(plan.ending, tonic);
  const last = notes.at(-1)?.pitch ?? centre;
  notes.push({
    // The root or the third: the ear is home.
    pitch: nearestOf([home[0]!, home[home.length > 3 ? 2 : 1]!], last),
    startsAt: form.endingAt,
    seconds: (form.seconds - form.endingAt) * 0.6,
    loudness: 0.95,
    pan: 0.56,
  });
  return notes;
}

function rungsOf(
  chord: Chord,
  { plan, tonic, range }: { plan: MoodPlan; tonic: number; range: Range },
): number[] {
  const classes = tuneClasses(chord, { tonic, scale: plan.scale });
  const rungs: number[] = [];
  for (let pitch = range.from - 3; pitch <= range.to + 3; pitch += 1) {
    if (classes.includes(classOf(pitch))) rungs.push(pitch);
  }
  return rungs;
}

const place = (ladder: readonly number[], pitch: number): number =>
  ladder.reduce(
    (best, rung, index) =>
      Math.abs(rung - pitch) < Math.abs(ladder[best]! - pitch) ? index : best,
    0,
  );
