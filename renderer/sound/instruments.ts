/**
 * What is struck or plucked, as the partials that a stroke sets ringing: how high, how loud and for
 * how long. Strings, bars and bells differ in nothing else.
 */
import { between, type Random } from '../random.ts';

export type Instrument =
  | 'piano'
  | 'harp'
  | 'muted'
  | 'kalimba'
  | 'marimba'
  | 'celesta'
  | 'bell'
  | 'bass';

/** One partial: what it does on its own. */
export type ResonantMode = {
  readonly hertz: number;
  readonly level: number;
  /** Until it is 60 dB down. */
  readonly seconds: number;
};

type Strike = {
  readonly hertz: number;
  /** 0 to 1: a harder stroke is brighter, not only louder. */
  readonly loudness: number;
  readonly random: Random;
};

/** A bar or a tongue of metal or wood: its partials are not multiples of the lowest one. */
const bar =
  (...rows: readonly (readonly [ratio: number, level: number, seconds: number])[]) =>
  ({ hertz, loudness }: Strike): ResonantMode[] =>
    rows.map(([ratio, level, seconds]) => ({
      hertz: hertz * ratio,
      // What is above the lowest one speaks up with the stroke.
      level: ratio > 1.1 ? level * (0.45 + 0.55 * loudness) : level,
      seconds: seconds * (440 / hertz) ** 0.4,
    }));

/** A string is stiff, so that its partials are a little sharp; where it is struck silences some. */
function stringModes(
  { hertz, loudness }: Strike,
  kind: {
    readonly place: number;
    readonly slope: number;
    readonly softHertz: number;
    readonly seconds: number;
    readonly damping: number;
    readonly stiffness: number;
    readonly partialsMax: number;
  },
): ResonantMode[] {
  const edge = kind.softHertz * (0.6 + 1.1 * loudness);
  const modes: ResonantMode[] = [];
  for (let partial = 1; partial <= kind.partialsMax; partial += 1) {
    const sharp = Math.sqrt(1 + kind.stiffness * partial * partial);
    const own = hertz * partial * sharp;
    const shape = Math.abs(Math.sin(Math.PI * partial * kind.place)) + 0.04;
    modes.push({
      hertz: own,
      level: (shape * partial ** -kind.slope * 1.6) / (1 + (own / edge) ** 2),
      seconds: (kind.seconds * (262 / hertz) ** 0.55) / (1 + kind.damping * (partial - 1)),
    });
  }
  return modes;
}

function pianoModes(strike: Strike): ResonantMode[] {
  const modes = stringModes(strike, {
    ...{ place: 0.12, slope: 0.55, softHertz: 900, seconds: 4.2, damping: 0.3 },
    ...{ stiffness: 0.00028, partialsMax: 10 },
  });
  // A second string, a hair off: the tone lives, and goes on quietly after the stroke has died.
  const after = modes.slice(0, 4).map(({ hertz, level, seconds }) => ({
    hertz: hertz * (1 + between(strike.random, { from: 0.0002, to: 0.0006 })),
    level: level * 0.38,
    seconds: seconds * 2.2,
  }));
  const knock = [96, 171, 258].map((hertz) => ({ hertz, level: 0.07, seconds: 0.09 }));
  return [...modes, ...after, ...knock];
}

export const instruments: Record<
  Instrument,
  { readonly attackSeconds: number; modes(strike: Strike): ResonantMode[] }
> = {
  piano: { attackSeconds: 0.005, modes: pianoModes },
  harp: {
    attackSeconds: 0.002,
    modes: (strike) =>
      stringModes(strike, {
        ...{ place: 0.29, slope: 1.15, softHertz: 2600, seconds: 2.1, damping: 0.42 },
        ...{ stiffness: 0.00005, partialsMax: 12 },
      }),
  },
  muted: {
    attackSeconds: 0.002,
    modes: (strike) =>
      stringModes(strike, {
        ...{ place: 0.13, slope: 0.8, softHertz: 1500, seconds: 0.34, damping: 0.24 },
        ...{ stiffness: 0.0001, partialsMax: 12 },
      }),
  },
  kalimba: {
    attackSeconds: 0.002,
    modes: bar([1, 1, 1.7], [2, 0.1, 0.8], [5.42, 0.22, 0.28], [8.9, 0.06, 0.1]),
  },
  marimba: {
    attackSeconds: 0.003,
    modes: bar([1, 1, 0.9], [3.93, 0.28, 0.32], [9.6, 0.08, 0.1]),
  },
  celesta: {
    attackSeconds: 0.002,
    modes: bar([1, 1, 2.4], [2.003, 0.2, 1.3], [4.07, 0.2, 0.6], [6.9, 0.06, 0.2]),
  },
  bell: {
    attackSeconds: 0.012,
    modes: bar([0.5, 0.18, 3.4], [1, 1, 4], [2.004, 0.4, 2.6], [2.74, 0.13, 1.5], [4.1, 0.1, 0.8]),
  },
  bass: {
    attackSeconds: 0.012,
    modes: (strike) =>
      stringModes(strike, {
        ...{ place: 0.27, slope: 0.9, softHertz: 420, seconds: 1.5, damping: 0.3 },
        ...{ stiffness: 0.00004, partialsMax: 8 },
      }),
  },
};
