/** Ambiences of built places: a distant city, and the hum of a machine or a spaceship. */
import { between, type Random } from '../../random.ts';
import { createDrift } from '../filters.ts';
import { createPad } from '../instruments.ts';
import { type AmbienceContext, type AmbienceLayer, layered, noiseLayer } from './layers.ts';

type Car = {
  /** When it is nearest. */
  readonly at: number;
  readonly seconds: number;
  readonly hertz: number;
  readonly loudness: number;
  /** 1 drives from left to right, -1 from right to left. */
  readonly direction: 1 | -1;
};

/** A low roar, and cars that pass from one side to the other. */
export function createCity({ random, seconds }: AmbienceContext): AmbienceLayer {
  const cars = carsOf(random, seconds);
  const tide = createDrift(random, 2.4);
  return layered(
    noiseLayer(random, {
      filter: 'low',
      lowCutHertz: 60,
      tune: (second) => ({
        hertz: 330 + 60 * tide(second),
        level: 0.3 * (1 + 0.25 * tide(second + 50)),
      }),
    }),
    noiseLayer(random, {
      filter: 'band',
      tune(second, side) {
        let [pass, hertz] = [0, 620];
        for (const car of cars) {
          const offset = (second - car.at) / car.seconds;
          if (Math.abs(offset) > 2.5) continue;
          const near = Math.exp(-offset * offset * 2.2) * car.loudness;
          pass += near * (1 + 0.6 * side * car.direction * Math.max(-1, Math.min(1, offset)));
          // The Doppler effect: higher while it approaches, lower afterwards.
          hertz += near * (car.hertz - 240 * Math.tanh(offset * 1.5));
        }
        return { hertz, resonance: 0.8, level: 0.035 + 0.26 * pass };
      },
    }),
  );
}

function carsOf(random: Random, seconds: number): Car[] {
  const cars: Car[] = [];
  let at = between(random, { from: 0.8, to: 2 });
  while (at < seconds + 1) {
    cars.push({
      at,
      seconds: between(random, { from: 0.8, to: 1.5 }),
      hertz: between(random, { from: 150, to: 500 }),
      loudness: between(random, { from: 0.35, to: 1 }),
      direction: random() < 0.5 ? 1 : -1,
    });
    at += between(random, { from: 1.4, to: 3.6 });
  }
  return cars;
}

/** A drone on the key note of the music, under slowly moving noise. */
export function createHum({ random, seconds, tonic }: AmbienceContext): AmbienceLayer {
  // Between 41 and 52, low but still audible on small loudspeakers.
  const low = 41 + ((((tonic - 41) % 12) + 12) % 12);
  const notes = [low, low + 7, low + 12].map((pitch, index) => ({
    ...{ startsAt: -1, seconds: seconds + 1, pitch },
    loudness: [1, 0.33, 0.27][index]!,
    pan: [0.5, 0.35, 0.65][index]!,
  }));
  const drift = createDrift(random, 1.9);
  return layered(
    createPad(notes, { level: 0.07, random }),
    noiseLayer(random, {
      filter: 'band',
      tune: (second, side) => ({
        ...{ hertz: 520 + 240 * drift(second), resonance: 1.6 },
        level: 0.07 * (1 + 0.5 * drift(second * 1.46 + 50 * side)),
      }),
    }),
  );
}
