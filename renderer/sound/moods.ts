/** The settings of each mood: tempo, key, chords, figure, brightness and levels. */
import type { Mood } from '../vocabulary/meaning.ts';

type Range = { readonly from: number; readonly to: number };

/** Semitones above the key note, root first. */
export type Chord = readonly number[];

export type MoodSettings = {
  readonly beatsPerMinute: Range;
  readonly tonic: Range;
  /** Four chords each. The fourth leads back to the first, and to the ending. */
  readonly progressions: readonly [readonly Chord[], ...(readonly Chord[])[]];
  readonly ending: Chord;
  readonly pad: {
    /** The MIDI pitch of the lowest pad voice; the chord is voiced in the octave above it. */
    readonly lowest: number;
    readonly level: number;
    /** Cutoff of the low-pass filter at the start and at the loudest part. */
    readonly cutoffHertz: Range;
  };
  readonly figure: {
    /** Notes of the chord from low to high, `.` for a rest; one character per step. */
    readonly patterns: readonly [string, ...string[]];
    readonly stepsPerBeat: 2 | 4;
    readonly lift: number;
    readonly level: number;
    readonly decaySeconds: number;
    readonly brightness: number;
  };
  readonly bass: { readonly beats: readonly number[]; readonly level: number };
  readonly reverb: { readonly seconds: number; readonly level: number };
};

const major9 = [0, 4, 7, 14] as const;
const minor = [0, 3, 7] as const;
const on = (root: number, ...steps: readonly number[]): Chord => steps.map((step) => root + step);

export const moods: Record<Mood, MoodSettings> = {
  calm: {
    beatsPerMinute: { from: 66, to: 80 },
    tonic: { from: 48, to: 55 },
    progressions: [
      [major9, on(9, 0, 3, 7, 10), on(5, 0, 4, 7, 11), on(7, 0, 5, 7)],
      [major9, on(4, 0, 3, 7, 10), on(5, 0, 4, 7, 14), on(7, 0, 4, 7, 10)],
    ],
    ending: major9,
    pad: { lowest: 53, level: 0.03, cutoffHertz: { from: 700, to: 2400 } },
    figure: {
      ...{ patterns: ['02343231', '01234323', '024302.3'], stepsPerBeat: 2, lift: 12 },
      ...{ level: 0.2, decaySeconds: 3.2, brightness: 0.35 },
    },
    bass: { beats: [0], level: 0.11 },
    reverb: { seconds: 2.4, level: 0.5 },
  },
  joyful: {
    beatsPerMinute: { from: 100, to: 116 },
    tonic: { from: 48, to: 55 },
    progressions: [
      [on(0, 0, 4, 7), on(7, 0, 4, 7), on(9, 0, 3, 7, 10), on(5, 0, 4, 7, 14)],
      [major9, on(5, 0, 4, 7, 14), on(9, ...minor), on(7, 0, 5, 7)],
    ],
    ending: major9,
    pad: { lowest: 57, level: 0.036, cutoffHertz: { from: 900, to: 2800 } },
    figure: {
      ...{ patterns: ['1.4.23412.4.3.24', '0.24.34.1.24.32.'], stepsPerBeat: 4, lift: 12 },
      ...{ level: 0.23, decaySeconds: 1.3, brightness: 0.8 },
    },
    bass: { beats: [0, 1.5, 2, 3.5], level: 0.16 },
    reverb: { seconds: 1.3, level: 0.3 },
  },
  epic: {
    beatsPerMinute: { from: 84, to: 96 },
    tonic: { from: 45, to: 51 },
    progressions: [
      [on(0, ...minor), on(8, 0, 4, 7), on(3, 0, 4, 7), on(10, 0, 4, 7)],
      [on(0, ...minor), on(5, ...minor), on(8, 0, 4, 7, 14), on(10, 0, 5, 7)],
    ],
    // A minor key that ends on the major chord.
    ending: [0, 4, 7],
    pad: { lowest: 50, level: 0.042, cutoffHertz: { from: 900, to: 4200 } },
    figure: {
      ...{ patterns: ['1.112.113.114.21', '11.11.2.11.13.2.'], stepsPerBeat: 4, lift: 12 },
      ...{ level: 0.17, decaySeconds: 0.7, brightness: 0.7 },
    },
    bass: { beats: [0, 0.75, 1.5, 2, 3, 3.5], level: 0.15 },
    reverb: { seconds: 2.8, level: 0.5 },
  },
  dark: {
    beatsPerMinute: { from: 52, to: 62 },
    tonic: { from: 45, to: 50 },
    progressions: [
      [on(0, 0, 3, 7, 14), on(8, 0, 4, 7, 11), on(5, ...minor), on(1, 0, 4, 7)],
      [on(0, ...minor), on(3, ...minor), on(8, ...minor), on(11, 0, 3, 6)],
    ],
    ending: [0, 3, 7, 14],
    pad: { lowest: 47, level: 0.048, cutoffHertz: { from: 420, to: 1300 } },
    figure: {
      ...{ patterns: ['0..3.2..', '..1.3.4.', '0.2..3.1'], stepsPerBeat: 2, lift: 0 },
      ...{ level: 0.1, decaySeconds: 3.6, brightness: 0.1 },
    },
    bass: { beats: [0], level: 0.12 },
    reverb: { seconds: 3.6, level: 0.7 },
  },
  dreamy: {
    beatsPerMinute: { from: 60, to: 72 },
    tonic: { from: 48, to: 55 },
    progressions: [
      [on(0, 0, 4, 7, 11), on(2, 0, 4, 7), on(5, 0, 4, 7, 11), on(5, 0, 3, 7, 9)],
      [on(0, 0, 4, 7, 11), on(4, 0, 3, 7, 10), on(9, 0, 3, 7, 14), on(5, 0, 4, 7, 14)],
    ],
    ending: [0, 4, 11, 14],
    pad: { lowest: 55, level: 0.036, cutoffHertz: { from: 900, to: 3600 } },
    figure: {
      ...{ patterns: ['13454323', '2435.43.', '124.542.'], stepsPerBeat: 2, lift: 12 },
      ...{ level: 0.15, decaySeconds: 3, brightness: 0.6 },
    },
    bass: { beats: [0], level: 0.08 },
    reverb: { seconds: 3.4, level: 0.8 },
  },
  tense: {
    beatsPerMinute: { from: 104, to: 120 },
    tonic: { from: 45, to: 50 },
    progressions: [
      [on(0, ...minor), on(0, 0, 3, 7, 8), on(0, 0, 3, 7, 9), on(1, 0, 4, 7)],
      [on(0, 0, 3, 7, 14), on(3, ...minor), on(6, 0, 3, 6), on(1, 0, 4, 7)],
    ],
    ending: [0, 3, 7, 14],
    pad: { lowest: 52, level: 0.042, cutoffHertz: { from: 450, to: 3400 } },
    figure: {
      ...{ patterns: ['1.112.113.112.11', '1121131211211321'], stepsPerBeat: 4, lift: 0 },
      ...{ level: 0.2, decaySeconds: 0.3, brightness: 0.5 },
    },
    bass: { beats: [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5], level: 0.09 },
    reverb: { seconds: 1.9, level: 0.4 },
  },
};
