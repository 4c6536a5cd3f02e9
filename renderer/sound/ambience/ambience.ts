/** The ambience of a place under the music: all of a clip's ambiences mixed together. */
import { randomFrom } from '../../random.ts';
import { mixIn } from '../filters.ts';
import { type Ambience, type AudioBlock, createStereo, type Stereo } from '../sound.ts';
import type { AmbienceContext } from './layers.ts';
import { places } from './places.ts';

/** Adds all of them to the bus, and to `wet` what the reverb takes. */
export function createAmbience(
  kinds: readonly Ambience[],
  { seed, ...context }: Omit<AmbienceContext, 'random'> & { readonly seed: number },
): (bus: Stereo, wet: Stereo, block: AudioBlock) => void {
  const layers = [...new Set(kinds)].map((kind, index) => {
    const { create, level, wet } = places[kind];
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
