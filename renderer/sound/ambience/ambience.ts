/** The ambience of a place under the music: all of a clip's ambiences mixed together. */
import { randomFrom } from '../../random.ts';
import { mixIn } from '../filters.ts';
import { type Ambience, type AudioBlock, createStereo, type Stereo } from '../sound.ts';
import { createBirds, createCrickets } from './animals.ts';
import { createCity, createHum } from './city.ts';
import { createFire } from './fire.ts';
import type { AmbienceContext, AmbienceLayer } from './layers.ts';
import { createSea, createWater } from './water.ts';
import { createRain, createThunder, createWind } from './weather.ts';

/**
 * `level` keeps each ambience audible and below the music. `wet` is the share sent to the reverb,
 * for sounds that come from one distant point.
 */
const ambiences: Record<
  Ambience,
  {
    readonly create: (context: AmbienceContext) => AmbienceLayer;
    readonly level: number;
    readonly wet: number;
  }
> = {
  wind: { create: createWind, level: 0.69, wet: 0 },
  sea: { create: createSea, level: 0.72, wet: 0 },
  rain: { create: createRain, level: 1.5, wet: 0 },
  thunder: { create: createThunder, level: 0.6, wet: 0.3 },
  fire: { create: createFire, level: 1.1, wet: 0 },
  birds: { create: createBirds, level: 1.26, wet: 0.6 },
  crickets: { create: createCrickets, level: 1.35, wet: 0 },
  city: { create: createCity, level: 0.43, wet: 0.1 },
  hum: { create: createHum, level: 0.5, wet: 0 },
  water: { create: createWater, level: 0.65, wet: 0 },
};

/** Adds all of them to the bus, and to `wet` what the reverb takes. */
export function createAmbience(
  kinds: readonly Ambience[],
  { seed, ...context }: Omit<AmbienceContext, 'random'> & { readonly seed: number },
): (bus: Stereo, wet: Stereo, block: AudioBlock) => void {
  const layers = [...new Set(kinds)].map((kind, index) => {
    const { create, level, wet } = ambiences[kind];
    return { play: create({ ...context, random: randomFrom(seed + index * 7_919) }), level, wet };
  });
  const share = 1 / Math.sqrt(Math.max(1, layers.length));
  const own = createStereo();
  return (bus, wetBus, block) => {
    for (const { play, level, wet } of layers) {
      own.left.fill(0, 0, block.count);
      own.right.fill(0, 0, block.count);
      play(own, block);
      const whole = { from: 0, to: block.count };
      for (const side of ['left', 'right'] as const) {
        mixIn(bus[side], own[side], { ...whole, level: level * share });
        mixIn(wetBus[side], own[side], { ...whole, level: level * share * wet });
      }
    }
  };
}
