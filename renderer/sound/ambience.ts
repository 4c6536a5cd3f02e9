/**
 * The generated sound of a clip: soft chords in its mood under the sounds of its place, exactly as
 * long as the clip. The same seed gives the same samples. Generated one second at a time.
 */
import { between, type Random, randomFrom } from '../random.ts';
import type { Mood } from '../vocabulary/meaning.ts';
import {
  createDrift,
  createFilter,
  createPink,
  type FilterKind,
  mixIn,
  spansOf,
} from './filters.ts';
import {
  type Ambience,
  type AudioBlock,
  type AudioStream,
  createStereo,
  limitPeaks,
  type Stereo,
  sampleRate,
  samplesIn,
} from './sound.ts';

/** Noise through one filter; level and frequency drift. */
type NoiseBed = {
  readonly filter: FilterKind;
  readonly hertz: number;
  /** How far the frequency moves, in hertz. */
  readonly sweep?: number;
  readonly resonance?: number;
  readonly level: number;
  /** The share of the level that drifts, and about how long one drift takes. */
  readonly sway: number;
  readonly everySeconds?: number;
};

type Range = { readonly from: number; readonly to: number };

/** Short sounds at random times: drops, crackles, notes of birds. */
type Grains = {
  readonly perSecond: number;
  /** Null for noise. */
  readonly hertz: Range | null;
  readonly seconds: Range;
  readonly loudness: number;
  /** Swells and fades instead of decaying. */
  readonly isWhistled?: boolean;
};

type Place = { readonly beds: readonly NoiseBed[]; readonly grains?: Grains };

const places: Record<Ambience, Place> = {
  wind: {
    beds: [
      { filter: 'band', hertz: 400, sweep: 200, resonance: 0.8, level: 0.22, sway: 0.7 },
      { filter: 'band', hertz: 810, sweep: 320, resonance: 7, level: 0.05, sway: 0.9 },
    ],
  },
  sea: {
    beds: [
      { filter: 'low', hertz: 1000, sweep: 700, level: 0.22, sway: 0.75, everySeconds: 2.3 },
      { filter: 'high', hertz: 2600, resonance: 0.5, level: 0.02, sway: 0.9, everySeconds: 2.3 },
    ],
  },
  rain: {
    beds: [{ filter: 'band', hertz: 3200, resonance: 0.4, level: 0.2, sway: 0.2 }],
    grains: {
      perSecond: 150,
      hertz: { from: 1100, to: 4800 },
      loudness: 0.12,
      seconds: { from: 0.006, to: 0.024 },
    },
  },
  fire: {
    beds: [{ filter: 'low', hertz: 300, level: 0.17, sway: 0.5, everySeconds: 0.09 }],
    grains: { perSecond: 36, hertz: null, seconds: { from: 0.004, to: 0.016 }, loudness: 0.3 },
  },
  birds: {
    beds: [{ filter: 'low', hertz: 700, level: 0.04, sway: 0.2 }],
    grains: {
      perSecond: 2.6,
      hertz: { from: 2300, to: 4600 },
      loudness: 0.1,
      isWhistled: true,
      seconds: { from: 0.07, to: 0.17 },
    },
  },
  crickets: {
    beds: [{ filter: 'low', hertz: 420, level: 0.06, sway: 0.2 }],
    grains: {
      perSecond: 9,
      hertz: { from: 4200, to: 4400 },
      loudness: 0.09,
      isWhistled: true,
      seconds: { from: 0.04, to: 0.07 },
    },
  },
  city: {
    beds: [
      { filter: 'low', hertz: 330, level: 0.13, sway: 0.25 },
      { filter: 'band', hertz: 850, sweep: 250, resonance: 0.8, level: 0.06, sway: 0.9 },
    ],
  },
  hum: {
    beds: [{ filter: 'band', hertz: 520, sweep: 240, resonance: 1.6, level: 0.05, sway: 0.5 }],
  },
};

/** MIDI pitch of the key note, and chords in semitones above it. */
const moods: Record<Mood, readonly [tonic: number, chords: string]> = {
  calm: [50, '0 7 16 26, -3 7 16 24, 5 9 17 24, 0 7 16 26'],
  joyful: [53, '0 7 16 24, 7 14 19 23, 5 12 17 21, 0 7 16 28'],
  epic: [45, '0 7 15 24, 8 15 20 24, 3 10 19 27, 0 7 16 24'],
  dark: [45, '0 7 15 26, -4 8 15 24, 1 8 17 20, 0 7 15 26'],
  dreamy: [52, '0 7 16 23, 2 9 18 26, 5 12 16 21, 0 7 16 23'],
  tense: [46, '0 7 15 20, 0 6 15 21, 1 8 17 20, 0 7 15 26'],
};

const chordSeconds = 3.2;
const riseSeconds = 0.9;
const chordLevel = 0.035;
/** Leaves headroom for what a lossy codec adds to a peak. */
const ceiling = 0.84;
const fadeInSeconds = 0.08;
/** Silent for this long before the end, so that the cut is inaudible. */
const silentSeconds = 0.05;

export type AmbienceOptions = {
  readonly seed: number;
  readonly seconds: number;
  readonly mood: Mood;
  readonly ambience: readonly Ambience[];
};

/** Adds itself to the bus. Blocks come in order. */
type Layer = (bus: Stereo, block: AudioBlock) => void;

export function createAmbience(options: AmbienceOptions): AudioStream {
  const { seconds, seed } = options;
  const total = samplesIn(seconds);
  let layers: readonly Layer[] | null = null;
  let from = 0;
  return {
    async next() {
      const block = { from, count: Math.min(sampleRate, total - from) };
      if (block.count <= 0) return null;
      layers ??= layersOf(randomFrom(seed ^ 0x5bd1e995), options);
      const bus = createStereo();
      for (const layer of layers) layer(bus, block);
      from += block.count;
      return interleaved(bus, block, seconds);
    },
    async close() {},
  };
}

function layersOf(random: Random, options: AmbienceOptions): Layer[] {
  const own = [...new Set(options.ambience)].map((kind) => places[kind]);
  return [
    createChords(random, options),
    ...own.flatMap(({ beds }) => beds.map((bed) => createBed(random, bed))),
    ...own.flatMap(({ grains }) => (grains ? [createGrains(random, grains)] : [])),
  ];
}

/** Independent noise on both sides. */
function createBed(random: Random, bed: NoiseBed): Layer {
  const drift = createDrift(random, bed.everySeconds ?? 1.7);
  const channels = (['left', 'right'] as const).map((side, at) => ({
    side,
    offset: at * 0.13,
    noise: createPink(random),
    filter: createFilter(bed.filter),
  }));
  const samples = new Float32Array(sampleRate);
  return (bus, block) => {
    for (const { side, offset, noise, filter } of channels) {
      noise(samples, block.count);
      for (const span of spansOf(block.count)) {
        const now = drift((block.from + span.from) / sampleRate + offset);
        const hertz = bed.hertz + (bed.sweep ?? 0) * now;
        filter(samples, span, { hertz, resonance: bed.resonance ?? Math.SQRT1_2 });
        mixIn(bus[side], samples, { ...span, level: bed.level * (1 + bed.sway * now) });
      }
    }
  };
}

type Grain = {
  /** The first sample, counted from the start of the clip. */
  readonly first: number;
  readonly length: number;
  readonly hertz: number | null;
  readonly loudness: number;
  readonly pan: number;
};

const attackSamples = 24;

/** Long grains continue in the next block. */
function createGrains(random: Random, plan: Grains): Layer {
  let playing: Grain[] = [];
  let nextAt = 0;
  return (bus, block) => {
    const end = block.from + block.count;
    for (; nextAt < end; nextAt += (-Math.log(1 - random()) / plan.perSecond) * sampleRate) {
      playing.push({
        first: Math.floor(nextAt),
        length: Math.ceil(between(random, plan.seconds) * sampleRate),
        hertz: plan.hertz && between(random, plan.hertz),
        // Many faint grains and few loud ones, as if spread over a distance.
        loudness:
          plan.loudness * (plan.isWhistled ? 1 : 0.1 / between(random, { from: 0.1, to: 1 })),
        pan: between(random, { from: 0.15, to: 0.85 }),
      });
    }
    for (const grain of playing) {
      const to = Math.min(end, grain.first + grain.length);
      for (let at = Math.max(block.from, grain.first); at < to; at += 1) {
        const value = grainAt(grain, at - grain.first, plan, random);
        bus.left[at - block.from]! += value * Math.sqrt(1 - grain.pan);
        bus.right[at - block.from]! += value * Math.sqrt(grain.pan);
      }
    }
    playing = playing.filter(({ first, length }) => first + length > end);
  };
}

function grainAt(grain: Grain, age: number, { isWhistled }: Grains, random: Random): number {
  const share = age / grain.length;
  const angle = ((grain.hertz ?? 0) * 2 * Math.PI) / sampleRate;
  const wave = grain.hertz === null ? random() * 2 - 1 : Math.sin(angle * age);
  const level = isWhistled ? Math.sin(Math.PI * share) ** 2 : 10 ** (-3 * share);
  return wave * level * grain.loudness * Math.min(1, age / attackSamples);
}

/** Chords that swell into each other, one note a little apart on both sides. */
function createChords(random: Random, { mood, seconds }: AmbienceOptions): Layer {
  const [tonic, list] = moods[mood];
  const chords = list.split(', ').map((chord) => chord.split(' ').map(Number));
  const key = tonic + Math.floor(random() * 5) - 2;
  const count = Math.max(1, Math.min(chords.length, Math.round(seconds / chordSeconds)));
  const each = seconds / count;
  const notes = chords.slice(-count).flatMap((chord, at) =>
    chord.map((step, voice) => ({
      from: at === 0 ? -riseSeconds / 2 : at * each - 0.3,
      to: (at + 1) * each + 0.3,
      hertz: 440 * 2 ** ((key + step - 69) / 12),
      loudness: [1, 0.8, 0.7, 0.55][voice]!,
      phase: random() * Math.PI * 2,
    })),
  );
  return (bus, block) => {
    for (const { from, to, hertz, loudness, phase } of notes) {
      const first = Math.max(block.from, Math.floor(from * sampleRate));
      const end = Math.min(block.from + block.count, Math.ceil(to * sampleRate));
      for (const [side, detune] of [
        ['left', 0.9985],
        ['right', 1.0015],
      ] as const) {
        const step = (hertz * detune * 2 * Math.PI) / sampleRate;
        const stepSine = Math.sin(step);
        const stepCosine = Math.cos(step);
        let sine = Math.sin(first * step + phase);
        let cosine = Math.cos(first * step + phase);
        for (let at = first; at < end; at += 1) {
          const second = at / sampleRate;
          const rise = Math.min(1, (second - from) / riseSeconds, (to - second) / riseSeconds);
          // The sine of the angle, of twice and of three times the angle; then turned by a step.
          // Calling `Math.sin` three times a sample took most of the time of the sound.
          const wave = sine * (1 + 0.8 * cosine + 0.16 * (3 - 4 * sine * sine));
          const turned = sine * stepCosine + cosine * stepSine;
          cosine = cosine * stepCosine - sine * stepSine;
          sine = turned;
          bus[side][at - block.from]! +=
            wave * rise * rise * (3 - 2 * rise) * loudness * chordLevel;
        }
      }
    }
  };
}

/** Interleaved stereo, as the encoder takes it, faded at both ends of the clip. */
function interleaved({ left, right }: Stereo, block: AudioBlock, seconds: number): Float32Array {
  const samples = new Float32Array(block.count * 2);
  const fadeOutSeconds = Math.min(1.8, seconds * 0.22);
  for (let at = 0; at < block.count; at += 1) {
    const now = (block.from + at) / sampleRate;
    const rise = Math.min(1, now / fadeInSeconds);
    const fall = Math.max(0, Math.min(1, (seconds - silentSeconds - now) / fadeOutSeconds));
    const level = rise * fall ** 1.5;
    samples[at * 2] = left[at]! * level;
    samples[at * 2 + 1] = right[at]! * level;
  }
  limitPeaks(samples, ceiling);
  return samples;
}
