/** Wind, rain and thunder. */
import { between, type Random } from '../../random.ts';
import { createDrift } from '../filters.ts';
import type { AudioBlock } from '../sound.ts';
import {
  type AmbienceContext,
  type AmbienceLayer,
  type Grain,
  grainLayer,
  layered,
  noiseLayer,
  proximity,
  randomTimes,
} from './layers.ts';

/** The stronger a gust, the higher and clearer it whistles. */
export function createWind({ random }: AmbienceContext): AmbienceLayer {
  const gust = createDrift(random, 1.7);
  const flutter = createDrift(random, 0.35);
  const forceAt = (second: number, side: number): number => {
    const own = 0.12 * flutter(second * 0.32 + 50 * side);
    return Math.max(0.12, 0.5 + 0.34 * gust(second) + own + 0.05 * flutter(second));
  };
  return layered(
    noiseLayer(random, {
      filter: 'band',
      tune(second, side) {
        const force = forceAt(second, side);
        return { hertz: 170 + 460 * force, resonance: 0.8, level: 0.62 * force ** 1.5 };
      },
    }),
    noiseLayer(random, {
      filter: 'band',
      tune(second, side) {
        const force = forceAt(second, side);
        return { hertz: 420 + 780 * force, resonance: 7, level: 0.34 * force ** 3 };
      },
    }),
  );
}

/** Steady noise for the distant drops, and single near drops over it. */
export function createRain({ random }: AmbienceContext): AmbienceLayer {
  const heaviness = createDrift(random, 2.2);
  function* drops(block: AudioBlock): Generator<Grain> {
    for (const first of randomTimes(random, block, 190)) {
      yield {
        first,
        hertz: random() < 0.55 ? null : between(random, { from: 1100, to: 4800 }),
        seconds: between(random, { from: 0.006, to: 0.024 }),
        loudness: 0.11 * proximity(random),
        pan: between(random, { from: 0.08, to: 0.92 }),
      };
    }
  }
  return layered(
    grainLayer(random, drops),
    noiseLayer(random, {
      ...{ filter: 'low', isWhite: true, lowCutHertz: 500 },
      tune: (second) => ({
        ...{ hertz: 5200, resonance: 0.5 },
        level: 0.052 * (1 + 0.22 * heaviness(second)),
      }),
    }),
  );
}

type Clap = {
  readonly at: number;
  readonly rise: number;
  readonly fall: number;
  readonly level: number;
};

/** Distant thunder: a clap, several that roll after it, and a quiet rumble in between. */
export function createThunder({ random, seconds }: AmbienceContext): AmbienceLayer {
  const claps = clapsOf(random, seconds);
  const strikes = claps.filter(({ level }) => level === 1).map(({ at }) => at);
  const sway = createDrift(random, 0.13);
  return noiseLayer(random, {
    filter: 'low',
    tune(second, side) {
      const age = second - (strikes.findLast((at) => at <= second) ?? -9);
      const roll = claps.reduce((sum, clap) => sum + levelOf(clap, second), 0);
      return {
        hertz: 120 + 800 * Math.exp(-age / 0.35),
        level: (0.05 + roll) * (1 + 0.3 * sway(second + 50 * side)),
      };
    },
  });
}

function clapsOf(random: Random, seconds: number): Clap[] {
  const claps: Clap[] = [];
  let at = Math.min(1.4, seconds * 0.18) * between(random, { from: 0.7, to: 1.2 });
  while (at < seconds - 1.5) {
    claps.push({ at, rise: 0.09, fall: 0.5, level: 1 });
    const rolls = 3 + Math.floor(random() * 4);
    for (let roll = 0; roll < rolls; roll += 1) {
      claps.push({
        at: at + between(random, { from: 0.25, to: 2.4 }),
        rise: between(random, { from: 0.1, to: 0.3 }),
        fall: between(random, { from: 0.4, to: 1.1 }),
        level: between(random, { from: 0.25, to: 0.7 }),
      });
    }
    at += between(random, { from: 4.5, to: 8 });
  }
  return claps;
}

function levelOf({ at, rise, fall, level }: Clap, second: number): number {
  const age = second - at;
  if (age <= 0) return 0;
  const up = Math.min(1, age / rise);
  return level * 0.85 * up * up * (3 - 2 * up) * Math.exp(-Math.max(0, age - rise) / fall);
}
