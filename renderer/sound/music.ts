/**
 * The music of a clip over the ambience of its place: composed from the seed for its mood and exact
 * length, with a quiet start and an ending that rings out. Generated one second at a time.
 */
import { randomFrom } from '../random.ts';
import type { Mood } from '../vocabulary/meaning.ts';
import { createAmbience } from './ambience/ambience.ts';
import { createFilter, createLowCut, mixIn, spansOf } from './filters.ts';
import { createVoices, type Instrument } from './instruments.ts';
import { limited } from './limiter.ts';
import { type MoodSettings, moods } from './moods.ts';
import { createReverb } from './reverb.ts';
import { composeScore, fullnessAt, type Score } from './score.ts';
import {
  type Ambience,
  type AudioBlock,
  type AudioStream,
  createStereo,
  type Stereo,
  sampleRate,
  samplesIn,
} from './sound.ts';

/** Leaves headroom for what a lossy codec adds to a peak. */
const ceiling = 0.84;
const fadeInSeconds = 0.08;
const bassPluck = { decaySeconds: 1.8, brightness: 0.15 };
/** Silent for this long before the end, so that the cut is inaudible. */
const silentSeconds = 0.05;

export type MusicOptions = {
  readonly seed: number;
  readonly seconds: number;
  readonly mood: Mood;
  readonly ambience: readonly Ambience[];
  /** Camera speed: 1 is normal, 0.6 slow, 1.8 fast. */
  readonly pace: number;
};

export function createMusic(options: MusicOptions): AudioStream {
  const { seconds } = options;
  const total = samplesIn(seconds);
  let play: ((out: Stereo, block: AudioBlock) => void) | null = null;
  let from = 0;
  const out = createStereo();
  const raw: AudioStream = {
    async next() {
      const block = { from, count: Math.min(sampleRate, total - from) };
      if (block.count <= 0) return null;
      play ??= createPlayer(options);
      play(out, block);
      from += block.count;
      return interleaved(out, block, seconds);
    },
    async close() {},
  };
  return limited(raw, ceiling);
}

function createPlayer(options: MusicOptions): (out: Stereo, block: AudioBlock) => void {
  const { seed, seconds } = options;
  const mood = moods[options.mood];
  const random = randomFrom(seed ^ 0x5bd1e995);
  const score = composeScore(random, mood, options);
  const ambience = createAmbience(options.ambience, {
    ...{ seconds, seed: seed ^ 0x1b873593, tonic: score.tonic },
  });
  const pad = createVoices(score.pad, { level: mood.pad.level, random });
  const padFilter = createPadFilter(mood, score, seconds);
  const layers: readonly { readonly instruments: readonly Instrument[]; readonly wet: number }[] = [
    { instruments: [pad, padFilter], wet: 0.8 },
    {
      instruments: [createVoices(score.figure, { ...mood.figure, random, pluck: mood.figure })],
      wet: 1,
    },
    {
      instruments: [createVoices(score.bass, { ...mood.bass, random, pluck: bassPluck })],
      wet: 0.12,
    },
  ];
  const reverb = createReverb(mood.reverb);
  const lowCuts = { left: createLowCut(), right: createLowCut() };
  const [bus, wet] = [createStereo(), createStereo()];

  return (out, block) => {
    const { count } = block;
    clear(out, count);
    clear(wet, count);
    for (const layer of layers) {
      clear(bus, count);
      for (const instrument of layer.instruments) instrument(bus, block);
      add(out, bus, { count, level: 1 });
      add(wet, bus, { count, level: layer.wet });
    }
    ambience(out, wet, block);
    reverb(wet, count);
    add(out, wet, { count, level: mood.reverb.level });
    lowCuts.left(out.left, count);
    lowCuts.right(out.right, count);
  };
}

/** Opens the pad's low-pass filter with the level, slightly with each chord, and closes it last. */
function createPadFilter(mood: MoodSettings, score: Score, seconds: number): Instrument {
  const filters = { left: createFilter('low'), right: createFilter('low') };
  const { from, to } = mood.pad.cutoffHertz;
  const { endingAt, beatSeconds } = score;
  return (bus, block) => {
    for (const span of spansOf(block.count)) {
      const second = (block.from + span.from) / sampleRate;
      const swell = 0.5 - 0.5 * Math.cos((Math.PI * second) / (2 * beatSeconds));
      const ending = Math.max(0, second - endingAt) / (seconds - endingAt);
      const share = fullnessAt(second, endingAt) * (0.75 + 0.25 * swell) * (1 - 0.7 * ending);
      const hertz = from * (to / from) ** share;
      filters.left(bus.left, span, { hertz });
      filters.right(bus.right, span, { hertz });
    }
  };
}

function clear({ left, right }: Stereo, count: number): void {
  left.fill(0, 0, count);
  right.fill(0, 0, count);
}

function add(to: Stereo, from: Stereo, { count, level }: { count: number; level: number }): void {
  mixIn(to.left, from.left, { from: 0, to: count, level });
  mixIn(to.right, from.right, { from: 0, to: count, level });
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
  return samples;
}
