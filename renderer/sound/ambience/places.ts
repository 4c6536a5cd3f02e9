/** The sounds of places: wind, water, weather, fire, animals, a city and a machine. */
import { between, type Random } from '../../random.ts';
import { createDrift } from '../filters.ts';
import { createVoices } from '../instruments.ts';
import { type Ambience, type AudioBlock, sampleRate } from '../sound.ts';
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

type Make = (context: AmbienceContext) => AmbienceLayer;

/** The stronger a gust, the higher and clearer it whistles. */
const createWind: Make = ({ random }) => {
  const gust = createDrift(random, 1.7);
  const forceAt = (second: number, side: number): number =>
    Math.max(0.12, 0.5 + 0.34 * gust(second) + 0.12 * gust(second * 0.32 + 50 * side));
  return layered(
    noiseLayer(random, 'band', (second, side) => {
      const force = forceAt(second, side);
      return { hertz: 170 + 460 * force, resonance: 0.8, level: 0.62 * force ** 1.5 };
    }),
    noiseLayer(random, 'band', (second, side) => {
      const force = forceAt(second, side);
      return { hertz: 420 + 780 * force, resonance: 7, level: 0.34 * force ** 3 };
    }),
  );
};

/** Two rows of waves that rise, break and run out; foam hisses after each. */
const createSea: Make = ({ random }) => {
  const start = random();
  const waveAt = (second: number, side: number, late: number): number =>
    [4.1, 5.7].reduce((sum, period, row) => {
      const share = second / period + start + row * 0.37 + side * 0.05 - late;
      const age = share - Math.floor(share);
      return sum + (age < 0.45 ? (age / 0.45) ** 2.2 : Math.exp((0.45 - age) * 5)) * 0.7;
    }, 0);
  return layered(
    noiseLayer(random, 'low', (second, side) => {
      const body = waveAt(second, side, 0);
      return { hertz: 300 + 1900 * Math.min(1, body) ** 1.5, level: 0.13 + 0.3 * body };
    }),
    noiseLayer(random, 'high', (second, side) => {
      return { hertz: 2600, resonance: 0.5, level: 0.004 + 0.05 * waveAt(second, side, 0.1) };
    }),
  );
};

const createRain: Make = ({ random }) => {
  const heaviness = createDrift(random, 2.2);
  return layered(
    grainLayer(random, (block) =>
      grainsAt(random, block, 190, (first) => ({
        ...{ first, loudness: 0.11 * proximity(random) },
        hertz: random() < 0.55 ? null : between(random, { from: 1100, to: 4800 }),
        seconds: between(random, { from: 0.006, to: 0.024 }),
        pan: between(random, { from: 0.08, to: 0.92 }),
      })),
    ),
    noiseLayer(random, 'band', (second) => {
      return { hertz: 3200, resonance: 0.4, level: 0.16 * (1 + 0.22 * heaviness(second)) };
    }),
  );
};

const createThunder: Make = ({ random, seconds }) => {
  const first = Math.min(1.4, seconds * 0.18) * between(random, { from: 0.7, to: 1.2 });
  const period = between(random, { from: 5, to: 8 });
  const roll = createDrift(random, 0.35);
  return noiseLayer(random, 'low', (second, side) => {
    const age = second < first ? 9 : (second - first) % period;
    const clap = Math.min(1, age / 0.09) * Math.exp(-age / 1.1);
    const rolling = 1 + 0.6 * roll(second + 50 * side);
    return { hertz: 120 + 800 * Math.exp(-age / 0.35), level: (0.05 + 0.9 * clap) * rolling };
  });
};

const createFire: Make = ({ random }) => {
  const flicker = createDrift(random, 0.09);
  return layered(
    grainLayer(random, (block) =>
      grainsAt(random, block, 36, (first) => ({
        ...{ first, hertz: random() < 0.04 ? between(random, { from: 240, to: 620 }) : null },
        seconds: between(random, { from: 0.004, to: 0.016 }),
        loudness: 0.27 * proximity(random),
        pan: between(random, { from: 0.2, to: 0.8 }),
      })),
    ),
    noiseLayer(random, 'low', (second, side) => {
      return { hertz: 300, level: 0.15 * (1 + 0.5 * flicker(second * 0.7 + 50 * side)) };
    }),
  );
};

const createBirds: Make = ({ random }) =>
  layered(
    noiseLayer(random, 'low', () => ({ hertz: 700, level: 0.035 })),
    grainLayer(random, function* (block) {
      for (const start of randomTimes(random, block, 0.9)) {
        const base = between(random, { from: 2300, to: 4000 });
        const pan = between(random, { from: 0.2, to: 0.8 });
        const notes = 2 + Math.floor(random() * 4);
        for (let note = 0; note < notes; note += 1) {
          yield {
            first: start + Math.floor(note * between(random, { from: 0.11, to: 0.2 }) * sampleRate),
            hertz: base * between(random, { from: 0.85, to: 1.25 }),
            rise: between(random, { from: 0.7, to: 1.4 }),
            seconds: between(random, { from: 0.07, to: 0.17 }),
            ...{ loudness: 0.08, pan, isWhistled: true },
          };
        }
      }
    }),
  );

const createCrickets: Make = ({ random }) => {
  const swell = createDrift(random, 1.3);
  return layered(
    noiseLayer(random, 'low', () => ({ hertz: 420, level: 0.05 })),
    noiseLayer(random, 'band', (second, side) => {
      const chirp = (second / (0.66 + 0.07 * side)) % 1;
      const pulse = chirp < 0.3 ? Math.sin(chirp * Math.PI * 30) ** 2 : 0;
      return {
        hertz: 4300,
        resonance: 16,
        level: (0.03 + 0.3 * pulse) * (1 + 0.3 * swell(second)),
      };
    }),
  );
};

const createCity: Make = ({ random }) => {
  const traffic = createDrift(random, 1.4);
  return layered(
    noiseLayer(random, 'low', (second) => {
      return { hertz: 330, level: 0.3 * (1 + 0.25 * traffic(second * 0.4 + 50)) };
    }),
    noiseLayer(random, 'band', (second, side) => {
      // One side hears a car a little earlier than the other.
      const pass = Math.max(0, traffic(second + side * 0.18)) ** 2;
      return { hertz: 620 + 500 * pass, resonance: 0.8, level: 0.035 + 0.26 * pass };
    }),
  );
};

/** A drone on the key note of the music, under slowly moving noise. */
const createHum: Make = ({ random, seconds, tonic }) => {
  // Between 41 and 52, low but still audible on small loudspeakers.
  const low = 41 + ((((tonic - 41) % 12) + 12) % 12);
  const notes = [low, low + 7, low + 12].map((pitch, index) => ({
    ...{ startsAt: -1, seconds: seconds + 1, pitch },
    loudness: [1, 0.33, 0.27][index]!,
    pan: [0.5, 0.35, 0.65][index]!,
  }));
  const drift = createDrift(random, 1.9);
  return layered(
    createVoices(notes, { level: 0.07, random }),
    noiseLayer(random, 'band', (second, side) => {
      const level = 0.07 * (1 + 0.5 * drift(second * 1.46 + 50 * side));
      return { hertz: 520 + 240 * drift(second), resonance: 1.6, level };
    }),
  );
};

const createWater: Make = ({ random }) => {
  const sway = createDrift(random, 0.16);
  return layered(
    noiseLayer(random, 'band', (second, side) => {
      const now = sway(second + 50 * side);
      return { hertz: 1250 + 320 * now, resonance: 0.6, level: 0.17 * (1 + 0.3 * now) };
    }),
    grainLayer(random, (block) =>
      grainsAt(random, block, 70, (first) => ({
        ...{ first, loudness: 0.12 * proximity(random) },
        hertz: between(random, { from: 420, to: 1500 }),
        rise: between(random, { from: 1.1, to: 1.7 }),
        seconds: between(random, { from: 0.03, to: 0.11 }),
        pan: between(random, { from: 0.15, to: 0.85 }),
      })),
    ),
  );
};

const grainsAt = (
  random: Random,
  block: AudioBlock,
  perSecond: number,
  grain: (first: number) => Grain,
): Grain[] => [...randomTimes(random, block, perSecond)].map(grain);

/**
 * `level` keeps each ambience audible and below the music. `wet` is the share sent to the reverb,
 * for sounds that come from one distant point.
 */
export const places: Record<
  Ambience,
  { readonly create: Make; readonly level: number; readonly wet: number }
> = {
  wind: { create: createWind, level: 0.69, wet: 0 },
  sea: { create: createSea, level: 0.72, wet: 0 },
  rain: { create: createRain, level: 1.3, wet: 0 },
  thunder: { create: createThunder, level: 0.6, wet: 0.3 },
  fire: { create: createFire, level: 1.1, wet: 0 },
  birds: { create: createBirds, level: 1.26, wet: 0.6 },
  crickets: { create: createCrickets, level: 1.2, wet: 0 },
  city: { create: createCity, level: 0.43, wet: 0.1 },
  hum: { create: createHum, level: 0.5, wet: 0 },
  water: { create: createWater, level: 0.65, wet: 0 },
};
