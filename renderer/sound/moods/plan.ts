/** What a mood is made of: key, chords, tempo, who plays and how loud. */
import type { Drum } from '../drums.ts';
import type { Bowing } from '../ensemble.ts';
import type { Chord, Range } from '../harmony.ts';
import type { Instrument } from '../instruments.ts';
import type { Timbre } from '../timbres.ts';

/** Who plays a part: something struck, or an ensemble that bows, blows or sings. */
export type Player =
  | { readonly struck: Instrument; readonly loudness: number }
  | { readonly ensemble: Timbre; readonly bowing: Bowing; readonly loudness: number };

/** One step of an accompaniment: notes of the chord from low to high, or a rest. */
export type Step = number | readonly number[] | null;

export type MoodPlan = {
  readonly beatsPerMinute: Range;
  /** The key note, within this octave or so. */
  readonly tonic: Range;
  readonly scale: readonly number[];
  /** Four chords that lead back to their beginning; the fourth leads to the ending too. */
  readonly progressions: readonly [Progression, ...Progression[]];
  readonly ending: Chord;
  readonly pad: {
    readonly range: Range;
    readonly player: Player;
    /** The edge of its brightness: where it begins, and where it is at its fullest. */
    readonly openHertz: Range;
  };
  readonly figure: {
    readonly player: Player;
    readonly stepsPerBeat: 1 | 2 | 4;
    readonly patterns: readonly [readonly Step[], ...(readonly Step[])[]];
    /** How far above the pad it plays, in semitones. */
    readonly lift: 0 | 12;
  };
  readonly tune: {
    readonly player: Player;
    readonly liveliness: 'sparse' | 'flowing' | 'lively';
    readonly range: Range;
  } | null;
  readonly bass: {
    readonly player: Player;
    readonly beats: readonly number[];
    readonly low: number;
  };
  /** Sixteenths of four beats: `X` is an accent, `x` a beat, `.` a rest. */
  readonly drums: readonly {
    readonly drum: Drum;
    readonly steps: string;
    readonly loudness: number;
  }[];
  /** What announces the ending, and what strikes it. */
  readonly finale: readonly { readonly drum: Drum; readonly loudness: number }[];
  readonly echo: number;
  readonly reverberation: {
    readonly seconds: number;
    readonly softness: number;
    readonly level: number;
  };
  /** Brings every mood to about the same loudness. */
  readonly gain: number;
};

export type Progression = readonly [Chord, Chord, Chord, Chord];

export const majorScale = [0, 2, 4, 5, 7, 9, 11] as const;
export const minorScale = [0, 2, 3, 5, 7, 8, 10] as const;

export const slowly: Bowing = { attackSeconds: 0.9, releaseSeconds: 1.3 };
export const firmly: Bowing = { attackSeconds: 0.35, releaseSeconds: 0.9 };
export const briefly: Bowing = { attackSeconds: 0.025, releaseSeconds: 0.13 };

/** A rest. */
export const _ = null;
