/**
 * Filters, noise and slow random curves. State is kept in typed arrays and copied to local numbers
 * for each call: loops over closure variables run several times slower.
 */
import type { Random } from '../random.ts';
import { sampleRate } from './sound.ts';

type Span = { readonly from: number; readonly to: number };

/** Slow parameters are updated once per span: every 128 samples, 375 times a second. */
const spanSamples = 128;

export function* spansOf(count: number): Generator<Span> {
  for (let from = 0; from < count; from += spanSamples) {
    yield { from, to: Math.min(count, from + spanSamples) };
  }
}

export function mixIn(
  out: Float32Array,
  samples: Float32Array,
  { from, to, level }: Span & { readonly level: number },
): void {
  for (let at = from; at < to; at += 1) out[at]! += samples[at]! * level;
}

type Tuning = {
  readonly hertz: number;
  /** The Q factor: 0.7 is flat up to the cutoff, higher values resonate at it. */
  readonly resonance?: number;
};

/** In place. The tuning may change on every call without a click. */
type Filter = (samples: Float32Array, span: Span, tuning: Tuning) => void;

export type FilterKind = 'low' | 'band' | 'high';

/** A two-pole state-variable filter in trapezoidal form, which stays stable while it is swept. */
export function createFilter(kind: FilterKind): Filter {
  const state = new Float64Array(2);
  return (samples, { from, to }, { hertz, resonance = Math.SQRT1_2 }) => {
    const damping = 1 / resonance;
    const gain = Math.tan((Math.PI * Math.min(hertz, sampleRate * 0.45)) / sampleRate);
    const a = 1 / (1 + gain * (gain + damping));
    const b = gain * a;
    const c = gain * b;
    let [one, two] = [state[0]!, state[1]!];
    for (let at = from; at < to; at += 1) {
      const input = samples[at]!;
      const rest = input - two;
      const band = a * one + b * rest;
      const low = two + b * one + c * rest;
      one = 2 * band - one;
      two = 2 * low - two;
      const scaled = band * damping;
      samples[at] = kind === 'low' ? low : kind === 'band' ? scaled : input - low - scaled;
    }
    state[0] = one;
    state[1] = two;
  };
}

type NoiseSource = (samples: Float32Array, count: number) => void;

/** Equal energy in every octave, as in wind and surf. Uses Paul Kellet's filter. */
export function createPink(random: Random): NoiseSource {
  const state = new Float64Array(3);
  const seed = new Int32Array([1 + Math.floor(random() * 0x7ffffffe)]);
  return (samples, count) => {
    let bits = seed[0]!;
    let [slow, middle, quick] = [state[0]!, state[1]!, state[2]!];
    for (let at = 0; at < count; at += 1) {
      bits ^= bits << 13;
      bits ^= bits >>> 17;
      bits ^= bits << 5;
      const input = Math.fround(bits / 0x80000000);
      slow = 0.99765 * slow + input * 0.099046;
      middle = 0.963 * middle + input * 0.2965164;
      quick = 0.57 * quick + input * 1.0526913;
      samples[at] = (slow + middle + quick + input * 0.1848) * 0.28;
    }
    state.set([slow, middle, quick]);
    seed[0] = bits;
  };
}

/** A smooth random curve from -1 to 1 that changes direction about every `everySeconds`. */
export function createDrift(random: Random, everySeconds: number): (second: number) => number {
  const seed = Math.floor(random() * 2 ** 31);
  const knot = (index: number): number => {
    let mixed = Math.imul(seed ^ Math.imul(index, 0x9e3779b1), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) / 0x80000000;
  };
  return (second) => {
    const index = Math.floor(second / everySeconds);
    const share = second / everySeconds - index;
    const smooth = share * share * (3 - 2 * share);
    return knot(index) + (knot(index + 1) - knot(index)) * smooth;
  };
}
