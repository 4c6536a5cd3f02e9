/** A stereo reverb: parallel comb filters (Schroeder). */
import { type Stereo, sampleRate } from './sound.ts';

/** Delays in samples without a common divisor, so that the reverb has no pitch of its own. */
const combSamples = {
  left: [1123, 1327, 1559, 1801, 2129, 2441],
  right: [1171, 1373, 1607, 1867, 2203, 2503],
} as const;
/** Share of the high frequencies that each reflection keeps. */
const openness = 0.6;

/** In place: takes the dry bus and leaves the reverb alone. `seconds` is until 60 dB down. */
export function createReverb({
  seconds,
}: {
  readonly seconds: number;
}): (bus: Stereo, count: number) => void {
  const sides = (['left', 'right'] as const).map((side) => {
    const gains = combSamples[side].map((delay) => 10 ** ((-3 * delay) / (seconds * sampleRate)));
    // A long reverb holds more energy than a short one; this makes both equally loud.
    const level = 0.5 * Math.sqrt(1 - gains[3]! ** 2);
    const combs = combSamples[side].map((delay, at) => createComb(delay, gains[at]!));
    return { side, combs, level };
  });
  const dry = new Float32Array(sampleRate);
  return (bus, count) => {
    for (const { side, combs, level } of sides) {
      const wet = bus[side];
      for (let at = 0; at < count; at += 1) dry[at] = wet[at]! * level;
      wet.fill(0, 0, count);
      for (const comb of combs) comb(dry, wet, count);
    }
  };
}

function createComb(
  length: number,
  gain: number,
): (dry: Float32Array, wet: Float32Array, count: number) => void {
  const delay = new Float32Array(length);
  const state = new Float64Array(2);
  return (dry, wet, count) => {
    let [position, low] = [state[0]!, state[1]!];
    for (let at = 0; at < count; at += 1) {
      const delayed = delay[position]!;
      low += openness * (delayed - low);
      delay[position] = dry[at]! + low * gain;
      wet[at]! += delayed;
      position = position + 1 === length ? 0 : position + 1;
    }
    state[0] = position;
    state[1] = low;
  };
}
