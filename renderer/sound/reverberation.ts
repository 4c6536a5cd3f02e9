/**
 * The room around the music: eight delay lines that feed each other (Jot's feedback delay network),
 * worked on stretch by stretch, so that every loop is over plain samples.
 */
import { type Stereo, sampleRate } from './sound.ts';

/** Lengths in samples without a common measure: the room has no tone of its own. */
const lineSamples = [1123, 1327, 1559, 1801, 2129, 2441, 2803, 3191] as const;
const meanSamples = 2_047;
const lineSize = 4_096;
/** Shorter than every line: what comes out of one then never depends on what just went in. */
const stretchSamples = 1_024;

type Line = {
  readonly length: number;
  /** Goes round. */
  readonly memory: Float32Array;
  /** The stretch that comes out now. */
  readonly samples: Float32Array;
  readonly gain: number;
  /** Walls take the highs away: the filter's state. */
  dull: number;
};

/** In place: the bus comes in dry and goes out as the room's answer alone. */
export function createReverberation(options: {
  /** Until the room's answer is 60 dB down. */
  readonly seconds: number;
  /** From 0, a hall of stone, to 1, a room full of curtains. */
  readonly softness: number;
}): (bus: Stereo, count: number) => void {
  const keep = (samples: number): number => 10 ** ((-3 * samples) / (options.seconds * sampleRate));
  const open = 1 - 0.75 * options.softness;
  // A long answer holds more than a short one; this makes both as loud as what they answer to.
  const loudness = 0.5 * Math.sqrt(1 - keep(meanSamples) ** 2);
  const lines = lineSamples.map((length) => ({
    length,
    memory: new Float32Array(lineSize),
    samples: new Float32Array(stretchSamples),
    gain: keep(length) / Math.sqrt(lineSamples.length),
    dull: 0,
  }));
  const outs = lines.map(({ samples }) => samples);
  const arrive = [createArrival(0), createArrival(1)] as const;
  const dry = { left: new Float32Array(stretchSamples), right: new Float32Array(stretchSamples) };
  let place = 0;
  return (bus, total) => {
    arrive[0](bus.left, total);
    arrive[1](bus.right, total);
    for (let from = 0; from < total; from += stretchSamples) {
      const count = Math.min(stretchSamples, total - from);
      const left = bus.left.subarray(from, from + count);
      const right = bus.right.subarray(from, from + count);
      dry.left.set(left);
      dry.right.set(right);
      for (const line of lines) readLine(line, { place, count, open });
      hear(left, outs, { first: 0, loudness });
      hear(right, outs, { first: 1, loudness });
      scatter(outs, count);
      for (const [index, line] of lines.entries()) {
        writeLine(line, index % 2 ? dry.right : dry.left, { place, count });
      }
      place = (place + count) & (lineSize - 1);
    }
  };
}

function readLine(
  line: Line,
  { place, count, open }: { place: number; count: number; open: number },
): void {
  const { memory, samples, length } = line;
  let { dull } = line;
  for (let at = 0; at < count; at += 1) {
    dull += open * (memory[(place + at - length) & (lineSize - 1)]! - dull);
    samples[at] = dull;
  }
  line.dull = dull;
}

/** Every other line for each side, with changing sign: the sides have nothing in common. */
function hear(
  out: Float32Array,
  lines: readonly Float32Array[],
  { first, loudness }: { first: number; loudness: number },
): void {
  const [one, two, three, four] = [0, 2, 4, 6].map((index) => lines[first + index]!);
  for (let at = 0; at < out.length; at += 1) {
    out[at] = (one![at]! - two![at]! + three![at]! - four![at]!) * loudness;
  }
}

/** Every line into every other, nothing lost: a Hadamard matrix as three rounds of butterflies. */
function scatter(lines: readonly Float32Array[], count: number): void {
  for (let half = 1; half < lines.length; half *= 2) {
    for (let line = 0; line < lines.length; line += 1) {
      if (!(line & half)) butterfly(lines[line]!, lines[line + half]!, count);
    }
  }
}

function butterfly(one: Float32Array, other: Float32Array, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const sum = one[at]! + other[at]!;
    other[at] = one[at]! - other[at]!;
    one[at] = sum;
  }
}

function writeLine(
  { memory, samples, gain }: Line,
  input: Float32Array,
  { place, count }: { place: number; count: number },
): void {
  for (let at = 0; at < count; at += 1) {
    memory[(place + at) & (lineSize - 1)] = samples[at]! * gain + input[at]!;
  }
}

/** A moment of distance, then two all-pass filters that turn a click into a cloud. */
function createArrival(side: 0 | 1): (samples: Float32Array, count: number) => void {
  const stages = [
    createDelay(side === 0 ? 720 : 781, 0),
    createDelay(side === 0 ? 142 : 107, 0.6),
    createDelay(side === 0 ? 379 : 277, 0.6),
  ];
  return (samples, count) => {
    for (const stage of stages) stage(samples, count);
  };
}

/** An all-pass filter; without feedback, a plain delay. */
function createDelay(
  length: number,
  feedback: number,
): (samples: Float32Array, count: number) => void {
  const memory = new Float32Array(length);
  let held = 0;
  return (samples, count) => {
    let place = held;
    for (let at = 0; at < count; at += 1) {
      const old = memory[place]!;
      const inside = samples[at]! + old * feedback;
      memory[place] = inside;
      samples[at] = old - inside * feedback;
      place = place + 1 === length ? 0 : place + 1;
    }
    held = place;
  };
}
