/** Birds by day, crickets by night: few of them, each with a song and a place of its own. */
import { between, oneOf, type Random } from '../../random.ts';
import { createDrift, createFilter, createPink, mixIn, spansOf } from '../filters.ts';
import { type Block, type Stereo, sampleRate } from '../sound.ts';
import type { AmbienceLayer, Surroundings } from './place.ts';

/** One syllable of a song: a whistle that glides, perhaps with a quaver. */
type Syllable = {
  readonly startsAt: number;
  readonly seconds: number;
  readonly fromHertz: number;
  readonly toHertz: number;
  readonly quaverHertz: number;
  readonly quaverDepth: number;
  readonly loudness: number;
  readonly pan: number;
};

export function createBirds(surroundings: Surroundings): AmbienceLayer {
  const { random, seconds } = surroundings;
  const count = 3;
  const syllables = Array.from({ length: count }, (_, bird) =>
    songOf(random, { seconds, firstAt: 0.25 + bird * 0.8, pan: [0.24, 0.74, 0.5][bird]! }),
  ).flat();
  const air = createAir(random, { hertz: 700, level: 0.035 });
  return (bus, block) => {
    air(bus, block);
    for (const syllable of syllables) whistle(bus, block, syllable);
  };
}

/** A bird repeats its phrase, never quite alike, and waits in between. */
function songOf(
  random: Random,
  bird: { readonly seconds: number; readonly firstAt: number; readonly pan: number },
): Syllable[] {
  const base = between(random, { from: 2300, to: 4000 });
  const loudness = between(random, { from: 0.05, to: 0.09 });
  const phrase = Array.from({ length: 2 + Math.floor(random() * 4) }, () => ({
    glide: oneOf(random, [0.72, 0.85, 1.2, 1.38, 1.05] as const),
    start: between(random, { from: 0.85, to: 1.25 }),
    seconds: between(random, { from: 0.06, to: 0.17 }),
    gap: between(random, { from: 0.03, to: 0.09 }),
    quaver: random() < 0.3 ? between(random, { from: 22, to: 38 }) : 0,
  }));
  const syllables: Syllable[] = [];
  let at = bird.firstAt + between(random, { from: 0, to: 0.6 });
  while (at < bird.seconds) {
    const strength = loudness * between(random, { from: 0.7, to: 1 });
    for (const { glide, start, seconds, gap, quaver } of phrase) {
      syllables.push({
        ...{ startsAt: at, seconds, pan: bird.pan, loudness: strength },
        fromHertz: base * start,
        toHertz: base * start * glide,
        quaverHertz: quaver,
        quaverDepth: quaver > 0 ? 0.05 : 0,
      });
      at += seconds + gap;
    }
    at += between(random, { from: 1.3, to: 3.2 });
  }
  return syllables;
}

function whistle({ left, right }: Stereo, block: Block, syllable: Syllable): void {
  const { startsAt, seconds, fromHertz, toHertz, quaverHertz, quaverDepth } = syllable;
  const first = Math.round(startsAt * sampleRate) - block.from;
  const length = Math.round(seconds * sampleRate);
  const from = Math.max(0, first);
  const to = Math.min(block.count, first + length);
  const leftGain = syllable.loudness * Math.sqrt(1 - syllable.pan);
  const rightGain = syllable.loudness * Math.sqrt(syllable.pan);
  const quaverTurn = (2 * Math.PI * quaverHertz) / sampleRate;
  for (let at = from; at < to; at += 1) {
    const age = at - first;
    const share = age / length;
    // The turns made so far, worked out from the age: a block may begin in the middle.
    const glided = fromHertz * age + ((toHertz - fromHertz) * age * share) / 2;
    const quaver =
      quaverTurn > 0
        ? (fromHertz * quaverDepth * (1 - Math.cos(quaverTurn * age))) / quaverTurn
        : 0;
    const angle = (2 * Math.PI * (glided + quaver)) / sampleRate;
    const swell = Math.sin(Math.PI * share);
    const value = swell * swell * (Math.sin(angle) + 0.12 * Math.sin(2 * angle));
    left[at]! += value * leftGain;
    right[at]! += value * rightGain;
  }
}

/** Three near ones that chirp in their own time, and the shimmer of all the others. */
export function createCrickets({ random }: Surroundings): AmbienceLayer {
  const singers = [0.2, 0.8, 0.55].map((pan, index) => ({
    pan,
    hertz: between(random, { from: 3900, to: 4700 }),
    everySeconds: between(random, { from: 0.52, to: 0.86 }),
    pulses: 3 + (index % 2),
    pulseSeconds: between(random, { from: 0.026, to: 0.034 }),
    startsAt: between(random, { from: 0, to: 0.4 }),
    loudness: [0.04, 0.03, 0.018][index]!,
  }));
  const air = createAir(random, { hertz: 420, level: 0.05 });
  const shimmer = createShimmer(random);
  return ({ left, right }, block) => {
    air({ left, right }, block);
    shimmer({ left, right }, block);
    for (const singer of singers) {
      const leftGain = singer.loudness * Math.sqrt(1 - singer.pan);
      const rightGain = singer.loudness * Math.sqrt(singer.pan);
      const turn = (2 * Math.PI * singer.hertz) / sampleRate;
      for (let at = 0; at < block.count; at += 1) {
        const second = (block.from + at) / sampleRate - singer.startsAt;
        const age = second - Math.floor(second / singer.everySeconds) * singer.everySeconds;
        const pulse = age / singer.pulseSeconds;
        const share = (pulse - Math.floor(pulse)) / 0.62;
        if (second < 0 || pulse >= singer.pulses || share >= 1) continue;
        const swell = Math.sin(Math.PI * share) ** 2 * (0.6 + (0.4 * pulse) / singer.pulses);
        const value = swell * Math.sin(turn * (block.from + at));
        left[at]! += value * leftGain;
        right[at]! += value * rightGain;
      }
    }
  };
}

function createShimmer(random: Random): AmbienceLayer {
  const breathing = createDrift(random, 1.3);
  const sides = (['left', 'right'] as const).map((side) => ({
    side,
    noise: createPink(random),
    filter: createFilter('band'),
    beat: between(random, { from: 21, to: 27 }),
    samples: new Float32Array(sampleRate),
  }));
  return (bus, block) => {
    for (const { side, noise, filter, beat, samples } of sides) {
      noise(samples, block.count);
      filter(samples, { from: 0, to: block.count }, { hertz: 4300, sharpness: 9 });
      for (const span of spansOf(block.count)) {
        const second = (block.from + span.from) / sampleRate;
        const level = 0.075 * (1 + 0.3 * breathing(second));
        for (let at = span.from; at < span.to; at += 1) {
          const moment = (block.from + at) / sampleRate;
          const flutter = 0.6 + 0.4 * Math.sin(2 * Math.PI * beat * moment);
          bus[side][at]! += samples[at]! * level * flutter;
        }
      }
    }
  };
}

/** The quiet of an open place, which is not silence. */
function createAir(
  random: Random,
  { hertz, level }: { readonly hertz: number; readonly level: number },
): AmbienceLayer {
  const sides = (['left', 'right'] as const).map((side) => ({
    side,
    noise: createPink(random),
    filter: createFilter('low'),
    samples: new Float32Array(sampleRate),
  }));
  return (bus, block) => {
    for (const { side, noise, filter, samples } of sides) {
      noise(samples, block.count);
      filter(samples, { from: 0, to: block.count }, { hertz });
      mixIn(bus[side], samples, { from: 0, to: block.count, level });
    }
  };
}
