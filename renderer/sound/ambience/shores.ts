/** The sea, and running water. */
import { between, type Random } from '../../random.ts';
import { createDrift, createFilter, createPink, createWhite, mixIn, spansOf } from '../filters.ts';
import { sampleRate } from '../sound.ts';
import { createGrains, moments, nearness } from './grains.ts';
import type { AmbienceLayer, Surroundings } from './place.ts';

type Wave = {
  /** When it breaks. */
  readonly crestAt: number;
  readonly riseSeconds: number;
  readonly fallSeconds: number;
  readonly strength: number;
  readonly pan: number;
};

/** Waves that rise, break and run back up the sand, one over the other; foam hisses after each. */
export function createSea({ random, seconds }: Surroundings): AmbienceLayer {
  const waves = wavesOf(random, seconds);
  const sides = (['left', 'right'] as const).map((side, index) => ({
    side,
    share: (pan: number) => Math.sqrt(index === 0 ? 1 - pan : pan) * Math.SQRT2,
    deep: { noise: createPink(random), filter: createFilter('low'), samples: scratch() },
    wash: { noise: createPink(random), filter: createFilter('low'), samples: scratch() },
    foam: { noise: createWhite(random), filter: createFilter('high'), samples: scratch() },
  }));
  return (bus, block) => {
    for (const { side, share, deep, wash, foam } of sides) {
      for (const { noise, samples } of [deep, wash, foam]) noise(samples, block.count);
      const out = bus[side];
      for (const span of spansOf(block.count)) {
        const second = (block.from + span.from) / sampleRate;
        let body = 0;
        let hiss = 0;
        for (const wave of waves) {
          const size = wave.strength * share(wave.pan);
          body += size * bodyOf(wave, second - wave.crestAt);
          hiss += size * hissOf(wave, second - wave.crestAt);
        }
        deep.filter(deep.samples, span, { hertz: 190 });
        wash.filter(wash.samples, span, { hertz: 420 + 2100 * Math.min(1, body) ** 1.5 });
        foam.filter(foam.samples, span, { hertz: 2600, sharpness: 0.5 });
        mixIn(out, deep.samples, { ...span, level: 0.13 + 0.1 * body });
        mixIn(out, wash.samples, { ...span, level: 0.05 + 0.3 * body });
        mixIn(out, foam.samples, { ...span, level: 0.003 + 0.034 * hiss });
      }
    }
  };
}

const scratch = (): Float32Array => new Float32Array(sampleRate);

/** The first one is already coming when the clip begins. */
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

/** Foam is loudest a moment after the wave has broken, and lasts longer. */
function hissOf({ fallSeconds }: Wave, age: number): number {
  const late = age - 0.25;
  if (late < -0.7) return 0;
  if (late < 0) return (1 + late / 0.7) ** 2;
  return Math.exp(-late / (fallSeconds * 1.25));
}

/** A brook: bubbles by the dozen, each a small tone that rises, over a soft rush. */
export function createWater({ random }: Surroundings): AmbienceLayer {
  const grains = createGrains(random);
  const busy = createDrift(random, 0.9);
  const sides = (['left', 'right'] as const).map((side) => ({
    side,
    noise: createPink(random),
    rush: createFilter('band'),
    own: createDrift(random, 0.16),
    samples: scratch(),
  }));
  return (bus, block) => {
    for (const { side, noise, rush, own, samples } of sides) {
      noise(samples, block.count);
      const out = bus[side];
      for (const span of spansOf(block.count)) {
        const second = (block.from + span.from) / sampleRate;
        rush(samples, span, { hertz: 1250 + 320 * own(second), sharpness: 0.6 });
        const level = 0.17 * (1 + 0.3 * own(second + 40));
        mixIn(out, samples, { ...span, level });
      }
    }
    const lively = 1 + 0.4 * busy(block.from / sampleRate);
    for (const first of moments(random, block, 70 * lively)) {
      const near = nearness(random);
      grains.add({
        first,
        hertz: between(random, { from: 420, to: 1500 }) * (1.3 - 0.3 * near),
        rise: between(random, { from: 1.1, to: 1.7 }),
        seconds: between(random, { from: 0.03, to: 0.11 }),
        loudness: 0.12 * near,
        pan: between(random, { from: 0.15, to: 0.85 }),
      });
    }
    grains.play(bus, block);
  };
}
