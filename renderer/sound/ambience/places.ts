/** Places that people make: a city in the distance, and the hum of a machine or a ship in space. */
import { between, type Random } from '../../random.ts';
import { createEnsemble } from '../ensemble.ts';
import { createDrift, createFilter, createPink, mixIn, spansOf } from '../filters.ts';
import { sampleRate } from '../sound.ts';
import type { AmbienceLayer, Surroundings } from './place.ts';

type Car = {
  /** When it is nearest. */
  readonly at: number;
  readonly seconds: number;
  readonly hertz: number;
  readonly loudness: number;
  /** 1 goes from left to right, -1 the other way. */
  readonly way: 1 | -1;
};

/** A low roar without an end, and cars that pass from one side to the other. */
export function createCity({ random, seconds }: Surroundings): AmbienceLayer {
  const cars = carsOf(random, seconds);
  const tide = createDrift(random, 2.4);
  const sides = (['left', 'right'] as const).map((side, index) => ({
    side,
    toward: index === 0 ? -1 : 1,
    roar: { noise: createPink(random), filter: createFilter('low'), samples: scratch() },
    floor: createFilter('high'),
    tyres: { noise: createPink(random), filter: createFilter('band'), samples: scratch() },
  }));
  return (bus, block) => {
    for (const { side, toward, roar, floor, tyres } of sides) {
      roar.noise(roar.samples, block.count);
      floor(roar.samples, { from: 0, to: block.count }, { hertz: 60 });
      tyres.noise(tyres.samples, block.count);
      const out = bus[side];
      for (const span of spansOf(block.count)) {
        const second = (block.from + span.from) / sampleRate;
        let pass = 0;
        let hertz = 620;
        for (const car of cars) {
          const place = (second - car.at) / car.seconds;
          if (Math.abs(place) > 2.5) continue;
          const near = Math.exp(-place * place * 2.2) * car.loudness;
          pass += near * (1 + 0.6 * toward * car.way * Math.max(-1, Math.min(1, place)));
          // Higher while it comes, lower when it goes.
          hertz += near * (car.hertz - 240 * Math.tanh(place * 1.5));
        }
        roar.filter(roar.samples, span, { hertz: 330 + 60 * tide(second) });
        tyres.filter(tyres.samples, span, { hertz, sharpness: 0.8 });
        mixIn(out, roar.samples, { ...span, level: 0.3 * (1 + 0.25 * tide(second + 50)) });
        mixIn(out, tyres.samples, { ...span, level: 0.035 + 0.26 * pass });
      }
    }
  };
}

const scratch = (): Float32Array => new Float32Array(sampleRate);

function carsOf(random: Random, seconds: number): Car[] {
  const cars: Car[] = [];
  let at = between(random, { from: 0.8, to: 2 });
  while (at < seconds + 1) {
    cars.push({
      at,
      seconds: between(random, { from: 0.8, to: 1.5 }),
      hertz: between(random, { from: 150, to: 500 }),
      loudness: between(random, { from: 0.35, to: 1 }),
      way: random() < 0.5 ? 1 : -1,
    });
    at += between(random, { from: 1.4, to: 3.6 });
  }
  return cars;
}

/** A drone on the key note, so that it belongs to the music, and air that breathes over it. */
export function createHum({ random, seconds, tonic, tables }: Surroundings): AmbienceLayer {
  // The octave from 41 to 52, where a loudspeaker can still follow it.
  const low = 41 + ((((tonic - 41) % 12) + 12) % 12);
  const drone = createEnsemble({
    ...{ tables, random },
    timbre: 'drone',
    loudness: 1,
    bowing: { attackSeconds: 1.2, releaseSeconds: 1 },
    notes: [low, low + 7, low + 12].map((pitch, index) => ({
      ...{ startsAt: -1, seconds: seconds + 1, pitch },
      loudness: [0.3, 0.1, 0.08][index]!,
      pan: [0.5, 0.35, 0.65][index]!,
    })),
  });
  const breath = createDrift(random, 1.9);
  const sides = (['left', 'right'] as const).map((side) => ({
    side,
    noise: createPink(random),
    filter: createFilter('band'),
    own: createDrift(random, 1.3),
    samples: scratch(),
  }));
  return (bus, block) => {
    drone(bus, block);
    for (const { side, noise, filter, own, samples } of sides) {
      noise(samples, block.count);
      const out = bus[side];
      for (const span of spansOf(block.count)) {
        const second = (block.from + span.from) / sampleRate;
        filter(samples, span, { hertz: 520 + 240 * breath(second), sharpness: 1.6 });
        const level = 0.07 * (1 + 0.5 * own(second));
        mixIn(out, samples, { ...span, level });
      }
    }
  };
}
