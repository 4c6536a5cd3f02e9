/**
 * What sustained voices sound like: tables in which every partial is spread over a narrow band, as
 * if by many players, made when a clip first needs them.
 */
import { type Random, randomFrom, seedFrom } from '../random.ts';
import { hertzOf } from './note.ts';
import { sampleRate } from './sound.ts';
import { createInverseTransform, type InverseTransform } from './spectrum.ts';

export type Timbre = 'warm' | 'strings' | 'grand' | 'shade' | 'glass' | 'brass' | 'drone';

/** A hump of a voice's or a body's resonance. */
const hump = (hertz: number, centre: number, width: number): number =>
  Math.exp(-(((hertz - centre) / width) ** 2));

const stringLevel = (partial: number, hertz: number): number =>
  partial ** -1.1 *
  (0.45 + hump(hertz, 480, 220) + 0.7 * hump(hertz, 1250, 450) + 0.4 * hump(hertz, 2700, 700)) *
  Math.exp(-hertz / 4200);

/** Singers on an open vowel. */
const choirLevel = (partial: number, hertz: number): number =>
  partial ** -0.7 *
  (0.06 +
    hump(hertz, 380, 190) +
    0.75 * hump(hertz, 720, 170) +
    0.35 * hump(hertz, 1120, 200) +
    0.1 * hump(hertz, 2700, 350));

/** How far players are apart, and how loud each partial is. */
const timbres: Record<
  Timbre,
  { readonly spreadCents: number; level(partial: number, hertz: number): number }
> = {
  warm: {
    spreadCents: 27,
    level: (partial, hertz) =>
      partial ** -1.7 * (partial % 2 ? 1 : 0.65) + 0.12 * stringLevel(partial, hertz),
  },
  strings: { spreadCents: 34, level: stringLevel },
  grand: {
    spreadCents: 34,
    level: (partial, hertz) => stringLevel(partial, hertz) + 0.7 * choirLevel(partial, hertz),
  },
  shade: {
    spreadCents: 30,
    level: (partial, hertz) =>
      choirLevel(partial, hertz) * Math.exp(-hertz / 1500) + 0.4 * stringLevel(partial, hertz),
  },
  glass: {
    spreadCents: 12,
    level: (partial, hertz) =>
      ([0, 1, 0.32, 0.1, 0.26, 0.03, 0.07, 0, 0.1][partial] ?? 0) +
      0.3 * choirLevel(partial, hertz),
  },
  brass: {
    spreadCents: 16,
    level: (partial, hertz) => partial ** -0.75 * Math.exp(-((hertz / 1500) ** 1.6)),
  },
  drone: {
    spreadCents: 20,
    level: (partial, hertz) => partial ** -1.25 * Math.exp(-hertz / 650),
  },
};

/**
 * Tables hold half as many samples a second as the sound: nothing in them is high enough to need
 * more. The loop of 1.4 seconds is not heard, since each note of a chord repeats at another moment.
 */
export const tableSize = 32_768;
export const tableRate = sampleRate / 2;
/** One table serves notes up to three semitones away from its own. */
const zoneSemitones = 6;
const partialHertzMax = 9_000;
const tableLoudness = 0.2;

/** Filled when first asked for; a clip needs about six. */
export type Tables = (timbre: Timbre, pitch: number) => Table;
type Table = { readonly samples: Float32Array; readonly pitch: number };

/** A table depends on the seed alone, not on which others were asked for before it. */
export function createTables(seed: number): Tables {
  const tables = new Map<string, Table>();
  const spectrum = createSpectrum();
  return (timbre, pitch) => {
    const zone = Math.round(pitch / zoneSemitones) * zoneSemitones;
    const key = `${timbre} ${zone}`;
    let table = tables.get(key);
    if (!table) {
      const random = randomFrom(seedFrom(seed, key));
      table = { samples: makeTable({ timbre, pitch: zone, random, spectrum }), pitch: zone };
      tables.set(key, table);
    }
    return table;
  };
}

/** What making a table takes, used for one after the other. */
type Spectrum = {
  readonly strengths: Float64Array;
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
  readonly transform: InverseTransform;
};

const createSpectrum = (): Spectrum => ({
  strengths: new Float64Array(tableSize / 2),
  real: new Float64Array(tableSize),
  imaginary: new Float64Array(tableSize),
  transform: createInverseTransform(tableSize),
});

/** Paul Nasca's PADsynth: bands of random phase, turned into a seamless loop in one transform. */
function makeTable(options: {
  readonly timbre: Timbre;
  readonly pitch: number;
  readonly random: Random;
  readonly spectrum: Spectrum;
}): Float32Array {
  const { random, spectrum } = options;
  const { strengths, real, imaginary, transform } = spectrum;
  spread(strengths, options);
  real.fill(0);
  imaginary.fill(0);
  for (let bin = 1; bin < strengths.length; bin += 1) {
    const strength = strengths[bin]!;
    if (strength === 0) continue;
    const phase = random() * 2 * Math.PI;
    real[bin] = strength * Math.cos(phase);
    imaginary[bin] = strength * Math.sin(phase);
  }
  transform(real, imaginary);
  let power = 0;
  for (let at = 0; at < tableSize; at += 1) power += real[at]! * real[at]!;
  const scale = tableLoudness / Math.sqrt(power / tableSize);
  // One sample more than the loop: the look-up reads the sample after.
  const samples = new Float32Array(tableSize + 1);
  for (let at = 0; at < tableSize; at += 1) samples[at] = real[at]! * scale;
  samples[tableSize] = samples[0]!;
  return samples;
}

/** Each partial as a bell-shaped band: the further up, the wider, as players differ by cents. */
function spread(
  strengths: Float64Array,
  { timbre, pitch }: { readonly timbre: Timbre; readonly pitch: number },
): void {
  const { spreadCents, level } = timbres[timbre];
  const binHertz = tableRate / tableSize;
  const hertz = hertzOf(pitch);
  strengths.fill(0);
  for (let partial = 1; partial * hertz < partialHertzMax; partial += 1) {
    const centre = (partial * hertz) / binHertz;
    const width = Math.max(0.6, (centre * (2 ** (spreadCents / 1200) - 1)) / 2);
    const strength = level(partial, partial * hertz) / Math.sqrt(width);
    if (strength < 1e-4) continue;
    const first = Math.max(1, Math.ceil(centre - 2.5 * width));
    for (let bin = first; bin < centre + 2.5 * width; bin += 1) {
      strengths[bin]! += strength * Math.exp(-(((bin - centre) / width) ** 2));
    }
  }
}
