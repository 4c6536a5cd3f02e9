/**
 * Filters and noise, a stretch of samples at a time. State is read once and written back once a
 * stretch, so that the loops run on plain numbers: sound costs little beside the picture.
 */
import type { Random } from '../random.ts';
import { sampleRate } from './sound.ts';

export type Span = { readonly from: number; readonly to: number };

/** How often something slow is worked out anew: every 128 samples, 375 times a second. */
export const spanSamples = 128;

export function* spansOf(count: number): Generator<Span> {
  for (let from = 0; from < count; from += spanSamples) {
    yield { from, to: Math.min(count, from + spanSamples) };
  }
}

/** The one loop that everything is mixed by: what runs often is compiled early. */
export function mixIn(
  out: Float32Array,
  samples: Float32Array,
  { from, to, level }: Span & { readonly level: number },
): void {
  for (let at = from; at < to; at += 1) out[at]! += samples[at]! * level;
}

export type Tuning = {
  readonly hertz: number;
  /** 0.7 is flat up to the edge; more rings at it. */
  readonly sharpness?: number;
};

/** In place. Another tuning may be given each time, without a click. */
export type Filter = (samples: Float32Array, span: Span, tuning: Tuning) => void;

/** A state-variable filter of two poles in its trapezoidal form: stable however it is swept. */
export function createFilter(kind: 'low' | 'band' | 'high'): Filter {
  const state = new Float64Array(2);
  const [ofLow, ofBand, ofInput] = { low: [1, 0, 0], band: [0, 1, 0], high: [-1, -1, 1] }[kind] as [
    number,
    number,
    number,
  ];
  return (samples, { from, to }, { hertz, sharpness = Math.SQRT1_2 }) => {
    const damping = 1 / sharpness;
    const gain = Math.tan((Math.PI * Math.min(hertz, sampleRate * 0.45)) / sampleRate);
    const a = 1 / (1 + gain * (gain + damping));
    const b = gain * a;
    const c = gain * b;
    let first = state[0]!;
    let second = state[1]!;
    for (let at = from; at < to; at += 1) {
      const input = samples[at]!;
      const rest = input - second;
      const band = a * first + b * rest;
      const low = second + b * first + c * rest;
      first = 2 * band - first;
      second = 2 * low - second;
      samples[at] = ofInput * input + ofLow * low + ofBand * band * damping;
    }
    state[0] = first;
    state[1] = second;
  };
}

/** Takes away what no loudspeaker should be asked for: everything below about 20 Hz. */
export function createLevelKeeper(): (samples: Float32Array, count: number) => void {
  const state = new Float64Array(2);
  const keep = 1 - (2 * Math.PI * 20) / sampleRate;
  return (samples, count) => {
    let before = state[0]!;
    let out = state[1]!;
    for (let at = 0; at < count; at += 1) {
      const input = samples[at]!;
      out = input - before + keep * out;
      before = input;
      samples[at] = out;
    }
    state[0] = before;
    state[1] = out;
  };
}

export type Noise = (samples: Float32Array, count: number) => void;

/** Every frequency alike, from -1 to 1: the hiss that rain, fire and foam are cut from. */
export function createWhite(random: Random): Noise {
  const state = new Int32Array([1 + Math.floor(random() * 0x7ffffffe)]);
  return (samples, count) => {
    let bits = state[0]!;
    for (let at = 0; at < count; at += 1) {
      bits ^= bits << 13;
      bits ^= bits >>> 17;
      bits ^= bits << 5;
      samples[at] = bits / 0x80000000;
    }
    state[0] = bits;
  };
}

/** Every octave alike, as in nature: wind, sea and far traffic. After Paul Kellet's filter. */
export function createPink(random: Random): Noise {
  const white = createWhite(random);
  const state = new Float64Array(3);
  return (samples, count) => {
    white(samples, count);
    let [slow, middle, quick] = state as unknown as [number, number, number];
    for (let at = 0; at < count; at += 1) {
      const input = samples[at]!;
      slow = 0.99765 * slow + input * 0.099046;
      middle = 0.963 * middle + input * 0.2965164;
      quick = 0.57 * quick + input * 1.0526913;
      samples[at] = (slow + middle + quick + input * 0.1848) * 0.28;
    }
    state.set([slow, middle, quick]);
  };
}

/** A smooth curve without a pattern, from -1 to 1, with a new direction every so often. */
export function createDrift(random: Random, everySeconds: number): (second: number) => number {
  const seed = Math.floor(random() * 2 ** 31);
  const knot = (index: number): number => {
    let mixed = Math.imul(seed ^ Math.imul(index, 0x9e3779b1), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) / 0x80000000;
  };
  return (second) => {
    const place = second / everySeconds;
    const index = Math.floor(place);
    const share = place - index;
    const smooth = share * share * (3 - 2 * share);
    return knot(index) + (knot(index + 1) - knot(index)) * smooth;
  };
}
