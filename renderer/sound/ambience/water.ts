/** The sea, and a stream. */
import { between, type Random } from '../../random.ts';
import { createDrift } from '../filters.ts';
import { type AudioBlock, sampleRate } from '../sound.ts';
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

type Wave = {
  /** When it breaks. */
  readonly crestAt: number;
  readonly riseSeconds: number;
  readonly fallSeconds: number;
  readonly strength: number;
  readonly pan: number;
};

/** Overlapping waves that rise, break and run out; foam hisses after each. */
export function createSea({ random, seconds }: AmbienceContext): AmbienceLayer {
  const waves = wavesOf(random, seconds);
  const sum = (second: number, side: -1 | 1, of: (wave: Wave, age: number) => number): number =>
    waves.reduce((total, wave) => {
      const share = Math.sqrt(side === -1 ? 1 - wave.pan : wave.pan) * Math.SQRT2;
      return total + wave.strength * share * of(wave, second - wave.crestAt);
    }, 0);
  return layered(
    noiseLayer(random, {
      filter: 'low',
      tune: (second, side) => ({ hertz: 190, level: 0.13 + 0.1 * sum(second, side, bodyOf) }),
    }),
    noiseLayer(random, {
      filter: 'low',
      tune(second, side) {
        const body = sum(second, side, bodyOf);
        return { hertz: 420 + 2100 * Math.min(1, body) ** 1.5, level: 0.05 + 0.3 * body };
      },
    }),
    noiseLayer(random, {
      ...{ filter: 'high', isWhite: true },
      tune: (second, side) => ({
        ...{ hertz: 2600, resonance: 0.5 },
        level: 0.003 + 0.034 * sum(second, side, foamOf),
      }),
    }),
  );
}

/** The first wave is already rising when the clip starts. */
function wavesOf(random: Random, seconds: number): Wave[] {
  const waves: Wave[] = [];
  let crestAt = between(random, { from: 0.9, to: 1.6 });
  while (crestAt < seconds + 3) {
    waves.push({
      crestAt,
      riseSeconds: between(random, { from: 1.7, to: 2.6 }),
      fallSeconds: between(random, { from: 1.1, to: 1.7 }),
      strength: between(random, { from: 0.6, to: 1 }),
      pan: between(random, { from: 0.25, to: 0.75 }),
    });
    crestAt += between(random, { from: 3.1, to: 4.8 });
  }
  return waves;
}

function bodyOf({ riseSeconds, fallSeconds }: Wave, age: number): number {
  if (age < -riseSeconds) return 0;
  if (age < 0) return (1 + age / riseSeconds) ** 2.2;
  return Math.exp(-age / fallSeconds);
}

/** Foam is loudest shortly after the wave has broken, and lasts longer. */
function foamOf({ fallSeconds }: Wave, age: number): number {
  const late = age - 0.25;
  if (late < -0.7) return 0;
  if (late < 0) return (1 + late / 0.7) ** 2;
  return Math.exp(-late / (fallSeconds * 1.25));
}

/** Many bubbles, each a short rising tone, over soft noise. */
export function createWater({ random }: AmbienceContext): AmbienceLayer {
  const activity = createDrift(random, 0.9);
  const sway = createDrift(random, 0.16);
  function* bubbles(block: AudioBlock): Generator<Grain> {
    const perSecond = 70 * (1 + 0.4 * activity(block.from / sampleRate));
    for (const first of randomTimes(random, block, perSecond)) {
      const near = proximity(random);
      yield {
        first,
        hertz: between(random, { from: 420, to: 1500 }) * (1.3 - 0.3 * near),
        rise: between(random, { from: 1.1, to: 1.7 }),
        seconds: between(random, { from: 0.03, to: 0.11 }),
        loudness: 0.12 * near,
        pan: between(random, { from: 0.15, to: 0.85 }),
      };
    }
  }
  return layered(
    noiseLayer(random, {
      filter: 'band',
      tune: (second, side) => ({
        ...{ hertz: 1250 + 320 * sway(second + 50 * side), resonance: 0.6 },
        level: 0.17 * (1 + 0.3 * sway(second + 40 + 50 * side)),
      }),
    }),
    grainLayer(random, bubbles),
  );
}
