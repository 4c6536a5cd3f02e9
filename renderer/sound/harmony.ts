/** Chords, and how voices get from one to the next: by the shortest way, none against another. */

const qualities = {
  major: [0, 4, 7],
  minor: [0, 3, 7],
  fifth: [0, 7],
  add9: [0, 2, 4, 7],
  minorAdd9: [0, 2, 3, 7],
  major7: [0, 4, 7, 11],
  minor7: [0, 3, 7, 10],
  major9: [0, 2, 4, 7, 11],
  minor9: [0, 2, 3, 7, 10],
  dominant7: [0, 4, 7, 10],
  suspended2: [0, 2, 7],
  suspended4: [0, 5, 7],
  minor6: [0, 3, 7, 9],
  minorFlat6: [0, 3, 7, 8],
  lydian: [0, 4, 6, 11],
  diminished: [0, 3, 6],
} as const satisfies Record<string, readonly number[]>;

/** Semitones above the key note, and what stands on it. */
export type Chord = readonly [root: number, quality: keyof typeof qualities];

const octave = 12;
export const classOf = (pitch: number): number => ((pitch % octave) + octave) % octave;

/** The chord's notes without their octave, the root first. */
export const classesOf = ([root, quality]: Chord, tonic: number): number[] =>
  qualities[quality].map((step) => classOf(tonic + root + step));

export type Range = { readonly from: number; readonly to: number };

/** The same note in the octave that is nearest to a pitch. */
export function nearest(noteClass: number, pitch: number): number {
  const up = classOf(noteClass - pitch);
  return up > octave / 2 ? pitch + up - octave : pitch + up;
}

export function nearestOf(noteClasses: readonly number[], pitch: number): number {
  const pitches = noteClasses.map((noteClass) => nearest(noteClass, pitch));
  return pitches.reduce((best, one) =>
    Math.abs(one - pitch) < Math.abs(best - pitch) ? one : best,
  );
}

/** Which pitches of the range sound for the chord, from low to high. */
export function voicingOf(
  chord: Chord,
  options: {
    readonly tonic: number;
    readonly range: Range;
    readonly voices: number;
    readonly before: readonly number[] | null;
  },
): number[] {
  const { tonic, range, voices, before } = options;
  const classes = classesOf(chord, tonic);
  const pitches: number[] = [];
  for (let pitch = range.from; pitch <= range.to; pitch += 1) {
    if (classes.includes(classOf(pitch))) pitches.push(pitch);
  }
  // With more notes than voices the root is left to the bass.
  const needed = classes.length > voices ? classes.slice(1) : classes;
  let best = { cost: Number.POSITIVE_INFINITY, chosen: pitches.slice(0, voices) };
  for (const chosen of choicesOf(pitches, voices)) {
    const cost = costOf(chosen, { needed, range, before });
    if (cost < best.cost) best = { cost, chosen };
  }
  return best.chosen;
}

function* choicesOf(pitches: readonly number[], count: number, first = 0): Generator<number[]> {
  if (count === 0) yield [];
  for (let at = first; at <= pitches.length - count && count > 0; at += 1) {
    for (const rest of choicesOf(pitches, count - 1, at + 1)) yield [pitches[at]!, ...rest];
  }
}

function costOf(
  chosen: readonly number[],
  { needed, range, before }: { needed: number[]; range: Range; before: readonly number[] | null },
): number {
  const present = new Set(chosen.map(classOf));
  let cost = needed.filter((noteClass) => !present.has(noteClass)).length * 40;
  for (const [index, pitch] of chosen.slice(1).entries()) {
    const gap = pitch - chosen[index]!;
    // Close together down low is mud; far apart up high is thin.
    if (gap < (pitch < 55 ? 4 : 2)) cost += 8;
    if (gap > 9) cost += (gap - 9) * 1.5;
  }
  const centre = (range.from + range.to) / 2;
  const middle = chosen.reduce((sum, pitch) => sum + pitch, 0) / chosen.length;
  cost += Math.abs(middle - centre) * (before ? 0.5 : 2);
  for (const [voice, pitch] of chosen.entries()) {
    const way = before ? Math.abs(pitch - before[voice]!) : 0;
    cost += way + (way > 4 ? (way - 4) * 2 : 0);
  }
  return cost;
}

/**
 * The notes a tune may use over the chord: its own, and those of the scale that no note of the
 * chord stands a semitone away from.
 */
export function tuneClasses(
  chord: Chord,
  options: { readonly tonic: number; readonly scale: readonly number[] },
): number[] {
  const own = classesOf(chord, options.tonic);
  const clashes = (noteClass: number): boolean =>
    own.some((one) => [1, 11].includes(classOf(one - noteClass)));
  const passing = options.scale
    .map((step) => classOf(options.tonic + step))
    .filter((noteClass) => !own.includes(noteClass) && !clashes(noteClass));
  return [...own, ...passing].toSorted((one, other) => one - other);
}
