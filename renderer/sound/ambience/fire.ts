/** A close fire: low flickering noise, crackling sparks, and now and then a log that breaks. */
import { between } from '../../random.ts';
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

export function createFire({ random }: AmbienceContext): AmbienceLayer {
  const activity = createDrift(random, 0.7);
  const flicker = createDrift(random, 0.09);
  function* sparks(block: AudioBlock): Generator<Grain> {
    const perSecond = 26 * (1 + 0.5 * activity(block.from / sampleRate));
    for (const first of randomTimes(random, block, perSecond)) {
      // Some sparks come in bursts of three from one point.
      const pan = between(random, { from: 0.2, to: 0.8 });
      const loudness = 0.27 * proximity(random);
      for (let spark = 0; spark < (random() < 0.3 ? 3 : 1); spark += 1) {
        yield {
          first: first + Math.floor(spark * between(random, { from: 300, to: 1600 })),
          seconds: between(random, { from: 0.004, to: 0.016 }),
          ...{ hertz: null, loudness, pan },
        };
      }
    }
    for (const first of randomTimes(random, block, 0.9)) {
      const pan = between(random, { from: 0.3, to: 0.7 });
      const hertz = between(random, { from: 240, to: 620 });
      yield { first, hertz, seconds: 0.07, loudness: 0.06, pan };
      yield { first, hertz: null, seconds: 0.03, loudness: 0.2, pan };
    }
  }
  return layered(
    grainLayer(random, sparks),
    noiseLayer(random, {
      filter: 'low',
      lowCutHertz: 70,
      tune: (second, side) => ({
        hertz: 260 + 120 * activity(second),
        level: 0.15 * (1 + 0.25 * flicker(second) + 0.3 * flicker(second * 0.43 + 50 * side)),
      }),
    }),
  );
}
