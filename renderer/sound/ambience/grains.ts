/** Drops, bubbles, sparks: very short sounds by the hundred, each a tone or a puff of noise. */
import { between, type Random } from '../../random.ts';
import { type Block, type Stereo, sampleRate } from '../sound.ts';

export type Grain = {
  /** The first sample, counted from the beginning of the clip. */
  readonly first: number;
  /** Null for a puff of noise. */
  readonly hertz: number | null;
  /** How much higher it ends than it begins, as a factor: bubbles rise as they shrink. */
  readonly rise?: number;
  /** Until it is 60 dB down. */
  readonly seconds: number;
  readonly loudness: number;
  /** 0 is left, 1 is right. */
  readonly pan: number;
};

const attackSamples = 24;

/** Adds grains to the bus; one that is longer than its block goes on in the next. */
export function createGrains(random: Random): {
  add(grain: Grain): void;
  play(bus: Stereo, block: Block): void;
} {
  let grains: Grain[] = [];
  let bits = 1 + Math.floor(random() * 0x7ffffffe);
  return {
    add: (grain) => void grains.push(grain),
    play({ left, right }, block) {
      for (const grain of grains) {
        const length = Math.ceil(grain.seconds * sampleRate);
        const begin = grain.first - block.from;
        const to = Math.min(block.count, begin + length);
        const decay = 10 ** (-3 / length);
        const from = Math.max(0, begin);
        let level = grain.loudness * decay ** (from - begin);
        const leftGain = Math.sqrt(1 - grain.pan);
        const rightGain = Math.sqrt(grain.pan);
        const turn = grain.hertz === null ? 0 : (2 * Math.PI * grain.hertz) / sampleRate;
        const bend = ((grain.rise ?? 1) - 1) / (2 * length);
        for (let at = from; at < to; at += 1) {
          const age = at - begin;
          let wave: number;
          if (turn > 0) wave = Math.sin(turn * age * (1 + bend * age));
          else {
            bits ^= bits << 13;
            bits ^= bits >>> 17;
            bits ^= bits << 5;
            wave = bits / 0x80000000;
          }
          const value = wave * level * (age < attackSamples ? age / attackSamples : 1);
          left[at]! += value * leftGain;
          right[at]! += value * rightGain;
          level *= decay;
        }
      }
      const end = block.from + block.count;
      grains = grains.filter(({ first, seconds }) => first + seconds * sampleRate > end);
    },
  };
}

/** Moments by pure chance, so many a second on average, within the block. */
export function* moments(random: Random, block: Block, perSecond: number): Generator<number> {
  let at = block.from;
  while (true) {
    at += (-Math.log(1 - random()) / perSecond) * sampleRate;
    if (at >= block.from + block.count) return;
    yield Math.floor(at);
  }
}

/** Many faint ones and few loud ones, from 0.1 to 1: as drops are far and near. */
export const nearness = (random: Random): number => 0.1 / between(random, { from: 0.1, to: 1 });
