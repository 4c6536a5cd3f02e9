/** Birds by day and crickets by night: a few, each with its own song and position. */
import { between, oneOf, type Random } from '../../random.ts';
import { createDrift } from '../filters.ts';
import { type AudioBlock, type Stereo, sampleRate } from '../sound.ts';
import { type AmbienceContext, type AmbienceLayer, layered, noiseLayer } from './layers.ts';

/** One gliding whistle of a song, sometimes with vibrato. */
type Syllable = {
  readonly startsAt: number;
  readonly seconds: number;
  readonly fromHertz: number;
  readonly toHertz: number;
  /** 0 for none. */
  readonly vibratoHertz: number;
  readonly loudness: number;
  readonly pan: number;
};

export function createBirds({ random, seconds }: AmbienceContext): AmbienceLayer {
  const syllables = [0.24, 0.74, 0.5].flatMap((pan, bird) =>
    songOf(random, { seconds, firstAt: 0.25 + bird * 0.8, pan }),
  );
  return layered(openAir(random, { hertz: 700, level: 0.035 }), (bus, block) => {
    for (const syllable of syllables) whistle(bus, block, syllable);
  });
}

/** Repeats one phrase with small variations and pauses. */
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
    vibratoHertz: random() < 0.3 ? between(random, { from: 22, to: 38 }) : 0,
  }));
  const syllables: Syllable[] = [];
  let at = bird.firstAt + between(random, { from: 0, to: 0.6 });
  while (at < bird.seconds) {
    const strength = loudness * between(random, { from: 0.7, to: 1 });
    for (const { glide, start, seconds, gap, vibratoHertz } of phrase) {
      syllables.push({
        ...{ startsAt: at, seconds, vibratoHertz, pan: bird.pan, loudness: strength },
        fromHertz: base * start,
        toHertz: base * start * glide,
      });
      at += seconds + gap;
    }
    at += between(random, { from: 1.3, to: 3.2 });
  }
  return syllables;
}

function whistle({ left, right }: Stereo, block: AudioBlock, syllable: Syllable): void {
  const { startsAt, seconds, fromHertz, toHertz, vibratoHertz } = syllable;
  const first = Math.round(startsAt * sampleRate) - block.from;
  const length = Math.round(seconds * sampleRate);
  const to = Math.min(block.count, first + length);
  const leftGain = syllable.loudness * Math.sqrt(1 - syllable.pan);
  const rightGain = syllable.loudness * Math.sqrt(syllable.pan);
  const vibratoAngle = (2 * Math.PI * vibratoHertz) / sampleRate;
  for (let at = Math.max(0, first); at < to; at += 1) {
    const age = at - first;
    const share = age / length;
    // The phase follows from the age alone, since a block may start inside the syllable.
    const glided = fromHertz * age + ((toHertz - fromHertz) * age * share) / 2;
    const vibrato =
      vibratoAngle > 0 ? (fromHertz * 0.05 * (1 - Math.cos(vibratoAngle * age))) / vibratoAngle : 0;
    const angle = (2 * Math.PI * (glided + vibrato)) / sampleRate;
    const value = Math.sin(Math.PI * share) ** 2 * (Math.sin(angle) + 0.12 * Math.sin(2 * angle));
    left[at]! += value * leftGain;
    right[at]! += value * rightGain;
  }
}

/** Three near crickets that chirp independently, and band noise for all the others. */
export function createCrickets({ random }: AmbienceContext): AmbienceLayer {
  const crickets = [0.2, 0.8, 0.55].map((pan, index) => ({
    pan,
    hertz: between(random, { from: 3900, to: 4700 }),
    everySeconds: between(random, { from: 0.52, to: 0.86 }),
    pulses: 3 + (index % 2),
    pulseSeconds: between(random, { from: 0.026, to: 0.034 }),
    startsAt: between(random, { from: 0, to: 0.4 }),
    loudness: [0.04, 0.03, 0.018][index]!,
  }));
  const swell = createDrift(random, 1.3);
  const chorus = noiseLayer(random, {
    filter: 'band',
    tune(second, side) {
      const flutter = 0.6 + 0.4 * Math.sin(2 * Math.PI * (24 + 2 * side) * second);
      return { hertz: 4300, resonance: 9, level: 0.075 * (1 + 0.3 * swell(second)) * flutter };
    },
  });
  return layered(openAir(random, { hertz: 420, level: 0.05 }), chorus, ({ left, right }, block) => {
    for (const cricket of crickets) {
      const leftGain = cricket.loudness * Math.sqrt(1 - cricket.pan);
      const rightGain = cricket.loudness * Math.sqrt(cricket.pan);
      const angle = (2 * Math.PI * cricket.hertz) / sampleRate;
      for (let at = 0; at < block.count; at += 1) {
        const second = (block.from + at) / sampleRate - cricket.startsAt;
        const age = second - Math.floor(second / cricket.everySeconds) * cricket.everySeconds;
        const pulse = age / cricket.pulseSeconds;
        const share = (pulse - Math.floor(pulse)) / 0.62;
        if (second < 0 || pulse >= cricket.pulses || share >= 1) continue;
        const level = Math.sin(Math.PI * share) ** 2 * (0.6 + (0.4 * pulse) / cricket.pulses);
        const value = level * Math.sin(angle * (block.from + at));
        left[at]! += value * leftGain;
        right[at]! += value * rightGain;
      }
    }
  });
}

/** The quiet background noise of an open place. */
const openAir = (
  random: Random,
  tuning: { readonly hertz: number; readonly level: number },
): AmbienceLayer => noiseLayer(random, { filter: 'low', tune: () => tuning });
