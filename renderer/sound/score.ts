/**
 * Composes the notes of a clip's music: a pad that holds the chords, a figure that breaks them into
 * single notes, and a bass. Whole beats fill the clip, and the last chord has time to ring out.
 */
import { between, oneOf, type Random } from '../random.ts';
import type { Note } from './instruments.ts';
import type { Chord, MoodSettings } from './moods.ts';

export type Score = {
  readonly tonic: number;
  readonly beatSeconds: number;
  readonly endingAt: number;
  readonly pad: readonly Note[];
  readonly figure: readonly Note[];
  readonly bass: readonly Note[];
};

type Measure = {
  readonly startsAt: number;
  readonly seconds: number;
  readonly beats: number;
  readonly root: number;
  readonly voicing: readonly number[];
  readonly isEnding: boolean;
};

const firstBeatAt = 0.06;
const chordSecondsMin = 1;

export function composeScore(
  random: Random,
  mood: MoodSettings,
  { seconds, pace }: { readonly seconds: number; readonly pace: number },
): Score {
  // A fast camera move raises the tempo, within limits that suit every mood.
  const haste = Math.min(1.3, Math.max(0.8, pace ** 0.35));
  const beatSeconds = 60 / (between(random, mood.beatsPerMinute) * haste);
  const timing = fitBeats(seconds, beatSeconds);
  const tonic = Math.round(between(random, mood.tonic));
  const measures = measuresOf(random, mood, { ...timing, tonic, seconds });
  const endingAt = measures.at(-1)!.startsAt;
  const context = { measures, endingAt, beatSeconds: timing.beatSeconds };
  return {
    ...{ tonic, endingAt, beatSeconds: timing.beatSeconds },
    pad: padNotes(random, context),
    figure: figureNotes(random, mood.figure, context),
    bass: bassNotes(mood.bass.beats, context),
  };
}

/** How much of the full level is reached at a time: grows until three quarters of the clip. */
export const fullnessAt = (second: number, endingAt: number): number =>
  Math.min(1, 0.45 + (0.55 * second) / (endingAt * 0.75));

type Timing = { readonly count: number; readonly beats: number; readonly beatSeconds: number };

/** As many chords as leave the last one time to ring, at the tempo closest to the given one. */
function fitBeats(seconds: number, beatSeconds: number): Timing {
  const ringSeconds = Math.min(4.5, Math.max(1.5, seconds * 0.27));
  const body = Math.max(0.5, seconds - ringSeconds - firstBeatAt);
  const beats = beatSeconds * 4 > 3.7 || body < beatSeconds * 12 ? 2 : 4;
  const count = Math.max(1, Math.round(body / Math.max(chordSecondsMin, beatSeconds * beats)));
  return { count, beats, beatSeconds: body / (count * beats) };
}

function measuresOf(
  random: Random,
  mood: MoodSettings,
  options: Timing & { readonly tonic: number; readonly seconds: number },
): Measure[] {
  const { count, beats, beatSeconds, tonic, seconds } = options;
  const progression = oneOf(random, mood.progressions);
  // The last chord before the ending is always the fourth, which leads back to the key note.
  const chords = Array.from({ length: count }, (_, at) => progression[(at - count + 400) % 4]!);
  if (count > 1) chords[0] = progression[0]!;
  return [...chords, mood.ending].map((chord, at) => {
    const startsAt = firstBeatAt + at * beats * beatSeconds;
    const isEnding = at === count;
    return {
      ...{ startsAt, isEnding, beats, root: tonic + chord[0]! },
      seconds: isEnding ? seconds - startsAt : beats * beatSeconds,
      voicing: voicingOf(chord, tonic, mood.pad.lowest),
    };
  });
}

/**
 * Moves every note of the chord into one octave, so that each voice moves by small steps. Of two
 * notes a semitone apart, the lower one moves up an octave, which is less dissonant.
 */
function voicingOf(chord: Chord, tonic: number, lowest: number): number[] {
  const pitches = chord.map((step) => lowest + ((((tonic + step - lowest) % 12) + 12) % 12));
  const voicing = new Set(
    pitches.map((pitch) => (pitches.includes(pitch + 1) ? pitch + 12 : pitch)),
  );
  return [...voicing].toSorted((one, other) => one - other);
}

type Context = {
  readonly measures: readonly Measure[];
  readonly endingAt: number;
  readonly beatSeconds: number;
};

/** Notes that two chords share are held across the change. */
function padNotes(random: Random, { measures, endingAt }: Context): Note[] {
  const notes: Note[] = [];
  for (const [index, { voicing, startsAt, isEnding }] of measures.entries()) {
    for (const pitch of voicing) {
      if (measures[index - 1]?.voicing.includes(pitch)) continue;
      let last = index;
      while (measures[last + 1]?.voicing.includes(pitch)) last += 1;
      const end = measures[last]!;
      // The pad rises slowly, so it starts ahead of the beat; the first chord before the clip.
      const early = index === 0 ? 0.45 : 0.16;
      notes.push({
        startsAt: startsAt - early,
        seconds: end.startsAt + end.seconds - startsAt + early,
        pitch,
        loudness: isEnding ? 0.95 : 0.5 + 0.5 * fullnessAt(startsAt, endingAt),
        pan: between(random, { from: 0.3, to: 0.7 }),
      });
    }
  }
  return notes;
}

function figureNotes(
  random: Random,
  figure: MoodSettings['figure'],
  { measures, endingAt, beatSeconds }: Context,
): Note[] {
  const pattern = oneOf(random, figure.patterns);
  const stepSeconds = beatSeconds / figure.stepsPerBeat;
  const notes: Note[] = [];
  const add = (pitch: number, startsAt: number, strength: number): void => {
    notes.push({
      startsAt: startsAt + between(random, { from: 0, to: 0.012 }),
      seconds: stepSeconds,
      pitch,
      loudness: strength * between(random, { from: 0.85, to: 1 }),
      pan: Math.min(0.78, Math.max(0.22, 0.5 + (pitch - 64) / 60)),
    });
  };
  for (const measure of measures) {
    const pitches = figurePitches(measure, figure.lift);
    if (measure.isEnding) {
      // The last chord is played as a slow upward arpeggio.
      const gap = Math.min(beatSeconds / 3, measure.seconds / 14);
      for (const [index, pitch] of pitches.slice(0, 6).entries()) {
        add(pitch, measure.startsAt + index * gap * (1 + index * 0.06), 0.95 - index * 0.07);
      }
      continue;
    }
    for (let step = 0; step < measure.beats * figure.stepsPerBeat; step += 1) {
      const pitch = pitches[Number(pattern[step % pattern.length])];
      if (pitch === undefined) continue;
      const at = measure.startsAt + step * stepSeconds;
      const accent = step === 0 ? 1 : step % figure.stepsPerBeat === 0 ? 0.85 : 0.7;
      add(pitch, at, accent * (0.62 + 0.38 * fullnessAt(at, endingAt)));
    }
  }
  return notes;
}

/** The root below the pad, the pad's pitches, and those an octave higher. */
function figurePitches({ root, voicing }: Measure, lift: number): number[] {
  const lifted = voicing.map((pitch) => pitch + lift);
  const below = lifted[0]! - ((((lifted[0]! - root) % 12) + 12) % 12 || 12);
  return [below, ...lifted, ...lifted.map((pitch) => pitch + 12)];
}

const bassLowest = 36;

function bassNotes(beats: readonly number[], context: Context): Note[] {
  const { measures, endingAt, beatSeconds } = context;
  return measures.flatMap((measure) => {
    const pitch = bassLowest + ((((measure.root - bassLowest) % 12) + 12) % 12);
    const played = measure.isEnding ? [0] : beats.filter((beat) => beat < measure.beats);
    return played.map((beat) => {
      const startsAt = measure.startsAt + beat * beatSeconds;
      return {
        ...{ startsAt, pitch, seconds: beatSeconds, pan: 0.5 },
        loudness: (beat === 0 ? 1 : 0.72) * (0.65 + 0.35 * fullnessAt(startsAt, endingAt)),
      };
    });
  });
}
