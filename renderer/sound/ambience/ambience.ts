/** The sounds of a place under the music: which there are, and all of a clip's together. */
import { randomFrom } from '../../random.ts';
import { mixIn } from '../filters.ts';
import { type Ambience, type Block, createStereo, type Stereo } from '../sound.ts';
import { createBirds, createCrickets } from './creatures.ts';
import { createFire } from './fire.ts';
import type { AmbienceLayer, Surroundings } from './place.ts';
import { createCity, createHum } from './places.ts';
import { createSea, createWater } from './shores.ts';
import { createRain, createThunder, createWind } from './weather.ts';

const makers: Record<Ambience, (surroundings: Surroundings) => AmbienceLayer> = {
  wind: createWind,
  sea: createSea,
  rain: createRain,
  thunder: createThunder,
  fire: createFire,
  birds: createBirds,
  crickets: createCrickets,
  city: createCity,
  hum: createHum,
  water: createWater,
};

/**
 * How loud each is, so that it is heard under the music and never over it; and how much of it the
 * room answers to, where it is a point in the distance.
 */
const balance: Record<Ambience, { readonly level: number; readonly far: number }> = {
  wind: { level: 0.69, far: 0 },
  sea: { level: 0.72, far: 0 },
  rain: { level: 1.5, far: 0 },
  thunder: { level: 0.6, far: 0.3 },
  fire: { level: 1.1, far: 0 },
  birds: { level: 1.26, far: 0.6 },
  crickets: { level: 1.35, far: 0 },
  city: { level: 0.43, far: 0.1 },
  hum: { level: 0.5, far: 0 },
  water: { level: 0.65, far: 0 },
};

/** Adds all of them to the bus, and to `far` what the room should answer to. */
export function createAmbience(
  kinds: readonly Ambience[],
  surroundings: Omit<Surroundings, 'random'> & { readonly seed: number },
): (bus: Stereo, far: Stereo, block: Block) => void {
  // Each has its own chance: another one beside it does not change it.
  const places = [...new Set(kinds)].map((kind, index) => ({
    kind,
    play: makers[kind]({ ...surroundings, random: randomFrom(surroundings.seed + index * 7_919) }),
  }));
  const share = 1 / Math.sqrt(Math.max(1, places.length));
  const own = createStereo();
  return (bus, far, block) => {
    for (const { kind, play } of places) {
      own.left.fill(0, 0, block.count);
      own.right.fill(0, 0, block.count);
      play(own, block);
      const whole = { from: 0, to: block.count };
      const level = balance[kind].level * share;
      for (const side of ['left', 'right'] as const) {
        mixIn(bus[side], own[side], { ...whole, level });
        mixIn(far[side], own[side], { ...whole, level: level * balance[kind].far });
      }
    }
  };
}
