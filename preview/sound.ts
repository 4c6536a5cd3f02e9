/**
 * A quiet bed of sound: slow chords, a few bell notes, wind or sea. Made second by second from the
 * seed, so that a long clip needs no more memory than a short one.
 */
import { between, oneOf, type Random, randomFrom } from './random.ts';

export const sampleRate = 48_000;

export type Sound = {
  /** The next second: interleaved stereo samples from -1 to 1. */
  nextSecond(): Float32Array;
};

type Voice = {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly hertz: number;
  readonly loudness: number;
  /** 0 is left, 1 is right. */
  readonly pan: number;
  readonly isBell: boolean;
};

/** Semitones above the root: a minor and a major scale without their harshest note. */
const scales: readonly [readonly number[], readonly number[]] = [
  [0, 2, 3, 5, 7, 10],
  [0, 2, 4, 7, 9, 11],
];
/** Quiet under speech, clear on its own: the loudest notes come to about half of full scale. */
const loudness = 2;
const fadeInSeconds = 0.3;
const fadeOutSeconds = 0.8;

export function createSound(options: {
  readonly seed: number;
  readonly seconds: number;
  readonly bySea: boolean;
}): Sound {
  const random = randomFrom(options.seed ^ 0x5bd1e995);
  const voices = compose(random, options.seconds);
  const wind = createWind(random, options.bySea);
  let second = 0;

  return {
    nextSecond() {
      const samples = new Float32Array(sampleRate * 2);
      const playing = voices.filter(
        ({ startsAt, endsAt }) => startsAt < second + 1 && endsAt > second,
      );
      for (const voice of playing) addVoice(samples, voice, second);
      wind(samples, second);
      for (let at = 0; at < sampleRate; at += 1) {
        const now = second + at / sampleRate;
        const left = options.seconds - now;
        const faded = Math.min(1, now / fadeInSeconds, Math.max(0, left / fadeOutSeconds));
        const level = faded * loudness;
        // The bend keeps a chance pile of notes from clipping.
        samples[at * 2] = Math.tanh(samples[at * 2]! * level);
        samples[at * 2 + 1] = Math.tanh(samples[at * 2 + 1]! * level);
      }
      second += 1;
      return samples;
    },
  };
}

/** Chords of three notes that overlap, and bells that choose among them. */
function compose(random: Random, seconds: number): Voice[] {
  const root = oneOf(random, [45, 47, 48, 50, 43]);
  const scale = oneOf(random, scales);
  const hertzOf = (degree: number): number => {
    const octave = Math.floor(degree / scale.length);
    const note = root + 12 * octave + scale[degree % scale.length]!;
    return 440 * 2 ** ((note - 69) / 12);
  };
  const chords = [
    [0, 2, 4],
    [3, 5, 7],
    [1, 3, 5],
    [2, 4, 6],
  ] as const;
  const first = Math.floor(random() * chords.length);
  const chordSeconds = seconds / Math.max(2, Math.round(seconds / 2.8));
  const voices: Voice[] = [];
  for (let chord = 0; chord * chordSeconds < seconds; chord += 1) {
    const startsAt = chord * chordSeconds - 0.5;
    const degrees = chords[(first + chord) % chords.length]!;
    for (const degree of degrees) {
      for (const octave of [0, 1]) {
        voices.push({
          startsAt,
          endsAt: startsAt + chordSeconds + 1.9,
          hertz: hertzOf(degree) * 2 ** octave,
          loudness: octave === 0 ? 0.075 : 0.045,
          pan: between(random, { from: 0.25, to: 0.75 }),
          isBell: false,
        });
      }
    }
    for (let beat = 1; beat < 8; beat += 1) {
      if (random() < 0.55) continue;
      const bellAt = startsAt + 0.5 + (beat * chordSeconds) / 8;
      voices.push({
        startsAt: bellAt,
        endsAt: bellAt + 1.8,
        hertz: hertzOf(oneOf(random, degrees) + scale.length) * 2,
        loudness: between(random, { from: 0.03, to: 0.07 }),
        pan: between(random, { from: 0.15, to: 0.85 }),
        isBell: true,
      });
    }
  }
  return voices;
}

function addVoice(samples: Float32Array, voice: Voice, second: number): void {
  const { startsAt, endsAt, hertz, loudness, pan, isBell } = voice;
  const from = Math.max(0, Math.ceil((startsAt - second) * sampleRate));
  const to = Math.min(sampleRate, Math.floor((endsAt - second) * sampleRate));
  const turn = (2 * Math.PI * hertz) / sampleRate;
  for (let at = from; at < to; at += 1) {
    const age = second + at / sampleRate - startsAt;
    const angle = turn * age * sampleRate;
    const rest = endsAt - startsAt - age;
    const strength = isBell
      ? Math.exp(-age * 3.4) * Math.min(1, age * 180, rest * 10)
      : (Math.min(1, age / 1.2) * Math.min(1, rest / 1.5)) ** 2;
    const wave = Math.sin(angle) + (isBell ? 0.25 : 0.4) * Math.sin(angle * 2.003);
    const value = wave * strength * loudness;
    samples[at * 2] = samples[at * 2]! + value * (1 - pan);
    samples[at * 2 + 1] = samples[at * 2 + 1]! + value * pan;
  }
}

/** Filtered noise that swells and falls; closer and brighter by the sea. */
function createWind(random: Random, bySea: boolean) {
  const softness = bySea ? 0.06 : 0.025;
  const strength = bySea ? 0.2 : 0.09;
  let left = 0;
  let right = 0;
  return (samples: Float32Array, second: number): void => {
    for (let at = 0; at < sampleRate; at += 1) {
      const swell = 0.3 + 0.7 * Math.sin((second + at / sampleRate) * 0.75 + 1) ** 2;
      left += softness * (random() * 2 - 1 - left);
      right += softness * (random() * 2 - 1 - right);
      samples[at * 2] = samples[at * 2]! + left * swell * strength;
      samples[at * 2 + 1] = samples[at * 2 + 1]! + right * swell * strength;
    }
  };
}
