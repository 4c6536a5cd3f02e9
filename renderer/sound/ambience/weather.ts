/** Wind, rain and thunder. */
import { between, type Random } from '../../random.ts';
import { createDrift, createFilter, createPink, createWhite, mixIn, spansOf } from '../filters.ts';
import { type Stereo, sampleRate } from '../sound.ts';
import { createGrains, moments, nearness } from './grains.ts';
import type { AmbienceLayer, Surroundings } from './place.ts';

/** Gusts: the stronger, the higher and the clearer they whistle. */
export function createWind({ random }: Surroundings): AmbienceLayer {
  const gust = createDrift(random, 1.7);
  const flutter = createDrift(random, 0.35);
  const sides = (['left', 'right'] as const).map((side) => ({
    side,
    noise: createPink(random),
    own: createDrift(random, 1.1),
    body: createFilter('band'),
    whistle: createFilter('band'),
    samples: new Float32Array(sampleRate),
    thin: new Float32Array(sampleRate),
  }));
  return (bus, block) => {
    for (const { side, noise, own, body, whistle, samples, thin } of sides) {
      noise(samples, block.count);
      thin.set(samples);
      const out = bus[side];
      for (const span of spansOf(block.count)) {
        const second = (block.from + span.from) / sampleRate;
        const strength = 0.5 + 0.34 * gust(second) + 0.12 * own(second) + 0.05 * flutter(second);
        const force = Math.max(0.12, strength);
        body(samples, span, { hertz: 170 + 460 * force, sharpness: 0.8 });
        whistle(thin, span, { hertz: 420 + 780 * force, sharpness: 7 });
        const level = 0.62 * force ** 1.5;
        const whistling = 0.34 * force ** 3;
        mixIn(out, samples, { ...span, level });
        mixIn(out, thin, { ...span, level: whistling });
      }
    }
  };
}

/** A curtain of far drops, and single near ones in front of it. */
export function createRain({ random }: Surroundings): AmbienceLayer {
  const grains = createGrains(random);
  const heaviness = createDrift(random, 2.2);
  const sides = (['left', 'right'] as const).map((side) => ({
    side,
    noise: createWhite(random),
    floor: createFilter('high'),
    roof: createFilter('low'),
    samples: new Float32Array(sampleRate),
  }));
  return (bus, block) => {
    const now = block.from / sampleRate;
    for (const { side, noise, floor, roof, samples } of sides) {
      noise(samples, block.count);
      const whole = { from: 0, to: block.count };
      floor(samples, whole, { hertz: 500, sharpness: 0.5 });
      roof(samples, whole, { hertz: 5200, sharpness: 0.5 });
      const out = bus[side];
      for (const span of spansOf(block.count)) {
        const level = 0.052 * (1 + 0.22 * heaviness(now + span.from / sampleRate));
        mixIn(out, samples, { ...span, level });
      }
    }
    for (const first of moments(random, block, 190)) {
      const near = nearness(random);
      grains.add({
        first,
        hertz: random() < 0.55 ? null : between(random, { from: 1100, to: 4800 }),
        seconds: between(random, { from: 0.006, to: 0.024 }),
        loudness: 0.11 * near,
        pan: between(random, { from: 0.08, to: 0.92 }),
      });
    }
    grains.play(bus, block);
  };
}

type Clap = {
  readonly at: number;
  readonly rise: number;
  readonly fall: number;
  readonly level: number;
};

/** Far thunder: one clap that rolls on in several, and a dull rumble between. */
export function createThunder({ random, seconds }: Surroundings): AmbienceLayer {
  const claps = clapsOf(random, seconds);
  const strikes = claps.filter(({ level }) => level === 1).map(({ at }) => at);
  const sides = (['left', 'right'] as const).map((side) => ({
    side,
    noise: createPink(random),
    dull: createFilter('low'),
    duller: createFilter('low'),
    sway: createDrift(random, 0.13),
    samples: new Float32Array(sampleRate),
  }));
  return (bus: Stereo, block) => {
    for (const { side, noise, dull, duller, sway, samples } of sides) {
      noise(samples, block.count);
      const out = bus[side];
      for (const span of spansOf(block.count)) {
        const second = (block.from + span.from) / sampleRate;
        const last = strikes.findLast((at) => at <= second);
        const age = last === undefined ? 9 : second - last;
        const hertz = 130 + 900 * Math.exp(-age / 0.35);
        dull(samples, span, { hertz });
        duller(samples, span, { hertz: hertz * 1.6 });
        const roll = claps.reduce((sum, clap) => sum + loudnessOf(clap, second), 0);
        const level = (0.05 + roll) * (1 + 0.3 * sway(second));
        mixIn(out, samples, { ...span, level });
      }
    }
  };
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

function loudnessOf({ at, rise, fall, level }: Clap, second: number): number {
  const age = second - at;
  if (age <= 0) return 0;
  const up = Math.min(1, age / rise);
  return level * 0.85 * up * up * (3 - 2 * up) * Math.exp(-Math.max(0, age - rise) / fall);
}
