/**
 * How a piece fits its clip: tempo, chords and the moment of the last one, chosen so that whole
 * beats fill the time, the last chord has room to ring, and nothing is cut off.
 */
import { between, oneOf, type Random } from '../random.ts';
import type { Chord } from './harmony.ts';
import type { MoodPlan } from './moods/plan.ts';

export type Passage = {
  readonly chord: Chord;
  /** Counted from the beginning of the piece. */
  readonly firstBeat: number;
  readonly beats: number;
};

export type Form = {
  readonly passages: readonly Passage[];
  readonly beatSeconds: number;
  /** When the last chord is struck. */
  readonly endingAt: number;
  readonly seconds: number;
  readonly secondOf: (beat: number) => number;
  /** How full the piece is, from 0 to 1: it grows to two thirds of the clip. */
  readonly fullness: (second: number) => number;
};

/** The music is there when the picture is, but not before it. */
const firstBeatAt = 0.06;
/** A chord that is heard for less is a stumble. */
const chordSecondsMin = 1;

export function createForm(
  random: Random,
  options: { readonly plan: MoodPlan; readonly seconds: number; readonly pace: number },
): Form {
  const { plan, seconds } = options;
  // A quick camera makes quick music, within what the mood can bear.
  const haste = Math.min(1.3, Math.max(0.8, options.pace ** 0.35));
  const wished = between(random, plan.beatsPerMinute) * haste;
  const { count, beats, beatSeconds } = fit({ seconds, beatSeconds: 60 / wished });
  const order = orderOf(count);
  const progression = oneOf(random, plan.progressions);
  const endingAt = firstBeatAt + count * beats * beatSeconds;
  return {
    passages: order.map((place, index) => ({
      chord: progression[place]!,
      firstBeat: index * beats,
      beats,
    })),
    ...{ beatSeconds, endingAt, seconds },
    secondOf: (beat) => firstBeatAt + beat * beatSeconds,
    fullness: (second) => {
      const share = second / endingAt;
      return share < 0.75 ? 0.45 + (0.55 * share) / 0.75 : 1;
    },
  };
}

/**
 * As many chords of two or four beats as leave the last one its time to ring, at a tempo as near as
 * possible to the one wished for.
 */
function fit(wish: { readonly seconds: number; readonly beatSeconds: number }): {
  count: number;
  beats: number;
  beatSeconds: number;
} {
  const ringSeconds = Math.min(4.5, Math.max(1.5, wish.seconds * 0.27));
  const body = Math.max(0.5, wish.seconds - ringSeconds - firstBeatAt);
  // Chords of four beats where at least three of them fit and none grows tedious; else of two.
  const beats = wish.beatSeconds * 4 > 3.7 || body < wish.beatSeconds * 12 ? 2 : 4;
  const chordSeconds = wish.beatSeconds * beats;
  const count = Math.max(1, Math.round(body / Math.max(chordSecondsMin, chordSeconds)));
  return { count, beats, beatSeconds: body / (count * beats) };
}

/** Begins at home and always ends with the chord that leads home. */
function orderOf(count: number): number[] {
  const head =
    count < 4 ? [[], [3], [0, 3], [0, 2, 3]][count]! : [[], [0], [0, 2], [0, 1, 2]][count % 4]!;
  const rounds = Math.floor(count / 4);
  return [...head, ...Array.from({ length: rounds }, () => [0, 1, 2, 3]).flat()];
}
