/** A fire close by: a low breath, a crackle of sparks, and now and then wood that gives way. */
import { between } from '../../random.ts';
import { createDrift, createFilter, createPink, mixIn, spansOf } from '../filters.ts';
import { createStereo, sampleRate } from '../sound.ts';
import { createGrains, moments, nearness } from './grains.ts';
import type { AmbienceLayer, Surroundings } from './place.ts';

export function createFire({ random }: Surroundings): AmbienceLayer {
  const sparks = createGrains(random);
  const mood = createDrift(random, 0.7);
  const flicker = createDrift(random, 0.09);
  const crackle = createStereo();
  const sides = (['left', 'right'] as const).map((side) => ({
    side,
    noise: createPink(random),
    floor: createFilter('high'),
    breath: createFilter('low'),
    bright: createFilter('high'),
    own: createDrift(random, 0.21),
    samples: new Float32Array(sampleRate),
  }));
  return (bus, block) => {
    const whole = { from: 0, to: block.count };
    crackle.left.fill(0, 0, block.count);
    crackle.right.fill(0, 0, block.count);
    const busy = 1 + 0.5 * mood(block.from / sampleRate);
    for (const first of moments(random, block, 26 * busy)) {
      // Sparks come in little bursts from one place.
      const pan = between(random, { from: 0.2, to: 0.8 });
      const near = nearness(random);
      const count = random() < 0.3 ? 3 : 1;
      for (let spark = 0; spark < count; spark += 1) {
        sparks.add({
          first: first + Math.floor(spark * between(random, { from: 300, to: 1600 })),
          hertz: null,
          seconds: between(random, { from: 0.004, to: 0.016 }),
          loudness: 0.3 * near,
          pan,
        });
      }
    }
    for (const first of moments(random, block, 0.9)) {
      const pan = between(random, { from: 0.3, to: 0.7 });
      const hertz = between(random, { from: 240, to: 620 });
      sparks.add({ first, hertz, seconds: 0.07, loudness: 0.13, pan });
      sparks.add({ first, hertz: null, seconds: 0.03, loudness: 0.22, pan });
    }
    sparks.play(crackle, block);
    for (const { side, noise, floor, breath, bright, own, samples } of sides) {
      noise(samples, block.count);
      floor(samples, whole, { hertz: 70 });
      bright(crackle[side], whole, { hertz: 850, sharpness: 0.6 });
      const out = bus[side];
      mixIn(out, crackle[side], { ...whole, level: 1 });
      for (const span of spansOf(block.count)) {
        const second = (block.from + span.from) / sampleRate;
        const level = 0.15 * (1 + 0.25 * flicker(second) + 0.3 * own(second));
        breath(samples, span, { hertz: 260 + 120 * mood(second) });
        mixIn(out, samples, { ...span, level });
      }
    }
  };
}
