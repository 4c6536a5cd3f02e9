/** Drums and effects, each made once as a short piece of sound and then played where it is due. */
import type { Random } from '../random.ts';
import { createFilter, createWhite } from './filters.ts';
import { type Block, type Stereo, sampleRate } from './sound.ts';

export type Drum = 'kick' | 'snap' | 'shaker' | 'taiko' | 'boom' | 'heart' | 'tick' | 'swell';

export type Hit = {
  readonly drum: Drum;
  readonly startsAt: number;
  readonly loudness: number;
  /** 0 is left, 1 is right. */
  readonly pan: number;
};

/** A reversed cymbal ends where it is loudest: it begins this long before the beat it leads to. */
export const swellSeconds = 1.6;

type Maker = (random: Random) => Float32Array;

const piece = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * sampleRate));

/** A skin: its tone falls as it slackens, and dies away. */
function skin(options: {
  readonly seconds: number;
  readonly fromHertz: number;
  readonly toHertz: number;
  readonly bendSeconds: number;
  readonly attackSeconds: number;
}): Float32Array {
  const samples = piece(options.seconds);
  let turns = 0;
  for (let at = 0; at < samples.length; at += 1) {
    const second = at / sampleRate;
    const bend = Math.exp(-second / options.bendSeconds);
    turns += (options.toHertz + (options.fromHertz - options.toHertz) * bend) / sampleRate;
    const left = 1 - at / samples.length;
    const attack = Math.min(1, second / options.attackSeconds);
    // A little of the octave lets small loudspeakers tell of it.
    const wave = Math.sin(2 * Math.PI * turns) + 0.22 * Math.sin(4 * Math.PI * turns);
    samples[at] = wave * attack * left * left * Math.exp((-second * 3.2) / options.seconds);
  }
  return samples;
}

/** Noise between two edges, with a rise and a fall. */
function burst(
  random: Random,
  options: {
    readonly seconds: number;
    readonly lowHertz: number;
    readonly highHertz: number;
    readonly attackSeconds: number;
    readonly fallSeconds: number;
  },
): Float32Array {
  const samples = piece(options.seconds);
  createWhite(random)(samples, samples.length);
  const span = { from: 0, to: samples.length };
  createFilter('high')(samples, span, { hertz: options.lowHertz });
  createFilter('low')(samples, span, { hertz: options.highHertz });
  for (let at = 0; at < samples.length; at += 1) {
    const second = at / sampleRate;
    const attack = Math.min(1, second / options.attackSeconds);
    const left = 1 - at / samples.length;
    samples[at]! *= attack * attack * Math.exp(-second / options.fallSeconds) * left;
  }
  return samples;
}

function together(...layers: readonly (readonly [Float32Array, number])[]): Float32Array {
  const sum = new Float32Array(Math.max(...layers.map(([samples]) => samples.length)));
  for (const [samples, level] of layers) {
    for (let at = 0; at < samples.length; at += 1) sum[at]! += samples[at]! * level;
  }
  return sum;
}

const makers: Record<Drum, Maker> = {
  kick: (random) =>
    together(
      [
        skin({
          ...{ seconds: 0.34, fromHertz: 130, toHertz: 52 },
          ...{ bendSeconds: 0.035, attackSeconds: 0.004 },
        }),
        0.8,
      ],
      [
        burst(random, {
          ...{ seconds: 0.03, lowHertz: 300, highHertz: 2200 },
          ...{ attackSeconds: 0.002, fallSeconds: 0.006 },
        }),
        0.18,
      ],
    ),
  snap: (random) =>
    together(
      ...[0, 1, 2].map((finger): [Float32Array, number] => [
        burst(random, {
          ...{ seconds: 0.16, lowHertz: 900 + finger * 300, highHertz: 3800 },
          ...{ attackSeconds: 0.003 + finger * 0.006, fallSeconds: 0.022 },
        }),
        0.32,
      ]),
    ),
  shaker: (random) =>
    burst(random, {
      ...{ seconds: 0.11, lowHertz: 5200, highHertz: 10_500 },
      ...{ attackSeconds: 0.024, fallSeconds: 0.028 },
    }),
  taiko: (random) =>
    together(
      [
        skin({
          ...{ seconds: 0.9, fromHertz: 118, toHertz: 68 },
          ...{ bendSeconds: 0.06, attackSeconds: 0.003 },
        }),
        0.7,
      ],
      [
        skin({
          ...{ seconds: 0.4, fromHertz: 205, toHertz: 148 },
          ...{ bendSeconds: 0.05, attackSeconds: 0.003 },
        }),
        0.28,
      ],
      [
        burst(random, {
          ...{ seconds: 0.12, lowHertz: 180, highHertz: 1600 },
          ...{ attackSeconds: 0.003, fallSeconds: 0.025 },
        }),
        0.4,
      ],
    ),
  boom: (random) =>
    together(
      [
        skin({
          ...{ seconds: 2.6, fromHertz: 78, toHertz: 41 },
          ...{ bendSeconds: 0.22, attackSeconds: 0.008 },
        }),
        0.75,
      ],
      [
        burst(random, {
          ...{ seconds: 1.8, lowHertz: 50, highHertz: 320 },
          ...{ attackSeconds: 0.012, fallSeconds: 0.4 },
        }),
        0.7,
      ],
    ),
  heart: () =>
    skin({
      ...{ seconds: 0.42, fromHertz: 84, toHertz: 54 },
      ...{ bendSeconds: 0.05, attackSeconds: 0.01 },
    }),
  tick: (random) =>
    burst(random, {
      ...{ seconds: 0.05, lowHertz: 2400, highHertz: 6000 },
      ...{ attackSeconds: 0.002, fallSeconds: 0.007 },
    }),
  swell: (random) =>
    burst(random, {
      ...{ seconds: swellSeconds, lowHertz: 2500, highHertz: 8500 },
      ...{ attackSeconds: 0.004, fallSeconds: swellSeconds / 4.5 },
    }).reverse(),
};

/** Adds the hits to the bus. */
export function createDrums(
  hits: readonly Hit[],
  random: Random,
): (bus: Stereo, block: Block) => void {
  const pieces = new Map<Drum, Float32Array>();
  for (const { drum } of hits) {
    if (!pieces.has(drum)) pieces.set(drum, makers[drum](random));
  }
  return ({ left, right }, block) => {
    for (const { drum, startsAt, loudness, pan } of hits) {
      const samples = pieces.get(drum)!;
      const first = Math.round(startsAt * sampleRate) - block.from;
      const from = Math.max(0, first);
      const to = Math.min(block.count, first + samples.length);
      const leftGain = loudness * Math.sqrt(1 - pan);
      const rightGain = loudness * Math.sqrt(pan);
      for (let at = from; at < to; at += 1) {
        left[at]! += samples[at - first]! * leftGain;
        right[at]! += samples[at - first]! * rightGain;
      }
    }
  };
}
