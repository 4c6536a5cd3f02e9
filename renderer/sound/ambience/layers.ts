/**
 * The two building blocks of every ambience: filtered noise that varies slowly, and short grains.
 */
import { between, type Random } from '../../random.ts';
import {
  createFilter,
  createPink,
  type FilterKind,
  mixIn,
  spansOf,
  type Tuning,
} from '../filters.ts';
import { type AudioBlock, type Stereo, sampleRate } from '../sound.ts';

export type AmbienceContext = {
  readonly random: Random;
  readonly seconds: number;
  /** The key note of the music as a MIDI pitch, for ambiences that have a pitch. */
  readonly tonic: number;
};

/** Adds itself to the bus. Blocks come in order. */
export type AmbienceLayer = (bus: Stereo, block: AudioBlock) => void;

export const layered =
  (...layers: readonly AmbienceLayer[]): AmbienceLayer =>
  (bus, block) => {
    for (const layer of layers) layer(bus, block);
  };

/**
 * Pink noise through one filter, independent on both sides. `side` is -1 on the left, 1 on the
 * right.
 */
export function noiseLayer(
  random: Random,
  kind: FilterKind,
  tune: (second: number, side: -1 | 1) => Tuning & { readonly level: number },
): AmbienceLayer {
  const channels = ([-1, 1] as const).map((side) => ({
    ...{ side, noise: createPink(random), filter: createFilter(kind) },
  }));
  const samples = new Float32Array(sampleRate);
  return (bus, block) => {
    for (const { side, noise, filter } of channels) {
      noise(samples, block.count);
      for (const span of spansOf(block.count)) {
        const tuning = tune((block.from + span.from) / sampleRate, side);
        filter(samples, span, tuning);
        mixIn(side === -1 ? bus.left : bus.right, samples, { ...span, level: tuning.level });
      }
    }
  };
}

export type Grain = {
  /** The first sample, counted from the start of the clip. */
  readonly first: number;
  readonly hertz: number | null;
  /** Ratio of its last to its first frequency: bubbles rise in pitch as they shrink. */
  readonly rise?: number;
  /** Until it is 60 dB down. */
  readonly seconds: number;
  readonly loudness: number;
  readonly pan: number;
  /** Swells and fades instead of decaying. */
  readonly isWhistled?: boolean;
};

const attackSamples = 24;

/** Plays the grains that `grainsIn` returns for each block; long ones continue in the next. */
export function grainLayer(
  random: Random,
  grainsIn: (block: AudioBlock) => Iterable<Grain>,
): AmbienceLayer {
  let grains: Grain[] = [];
  let bits = 1 + Math.floor(random() * 0x7ffffffe);
  return ({ left, right }, block) => {
    grains.push(...grainsIn(block));
    for (const grain of grains) {
      const length = Math.ceil(grain.seconds * sampleRate);
      const start = grain.first - block.from;
      const to = Math.min(block.count, start + length);
      const decay = 10 ** (-3 / length);
      const from = Math.max(0, start);
      const leftGain = Math.sqrt(1 - grain.pan);
      const rightGain = Math.sqrt(grain.pan);
      const angle = ((grain.hertz ?? 0) * 2 * Math.PI) / sampleRate;
      const bend = ((grain.rise ?? 1) - 1) / (2 * length);
      let level = grain.loudness * decay ** (from - start);
      for (let at = from; at < to; at += 1) {
        const age = at - start;
        let wave: number;
        if (angle > 0) wave = Math.sin(angle * age * (1 + bend * age));
        else {
          bits ^= bits << 13;
          bits ^= bits >>> 17;
          bits ^= bits << 5;
          wave = bits / 0x80000000;
        }
        const swell = grain.isWhistled ? Math.sin((Math.PI * age) / length) ** 2 : 0;
        const value = wave * (grain.isWhistled ? grain.loudness * swell : level);
        const attack = age < attackSamples ? age / attackSamples : 1;
        left[at]! += value * attack * leftGain;
        right[at]! += value * attack * rightGain;
        level *= decay;
      }
    }
    const end = block.from + block.count;
    grains = grains.filter(({ first, seconds }) => first + seconds * sampleRate > end);
  };
}

/** Sample positions within the block at random, `perSecond` of them on average. */
export function* randomTimes(
  random: Random,
  block: AudioBlock,
  perSecond: number,
): Generator<number> {
  let at = block.from;
  while (true) {
    at += (-Math.log(1 - random()) / perSecond) * sampleRate;
    if (at >= block.from + block.count) return;
    yield Math.floor(at);
  }
}

/** Many faint values and few loud ones, from 0.1 to 1, as if spread over a distance. */
export const proximity = (random: Random): number => 0.1 / between(random, { from: 0.1, to: 1 });
