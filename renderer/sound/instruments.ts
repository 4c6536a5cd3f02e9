/**
 * The instrument of the music: wavetable voices that hold their notes, or decay like a plucked
 * string. Adds its notes to a bus, block by block and in order.
 */
import type { Random } from '../random.ts';
import { type AudioBlock, type Stereo, sampleRate } from './sound.ts';

export type Note = {
  readonly startsAt: number;
  /** How long the note is held; its release follows. */
  readonly seconds: number;
  /** MIDI pitch: 60 is middle C, 12 is an octave. */
  readonly pitch: number;
  readonly loudness: number;
  readonly pan: number;
};

export type Instrument = (bus: Stereo, block: AudioBlock) => void;

export const hertzOf = (pitch: number): number => 440 * 2 ** ((pitch - 69) / 12);

const tableSize = 2_048;
const partialHertzMax = 7_000;
const attackSeconds = 0.5;
const releaseSeconds = 1.1;
const pluckAttackSeconds = 0.006;
/** Detuning of the oscillators of each channel, in cents. */
const detuneCents = { left: [-9, -2, 6], right: [-6, 2, 9] } as const;
const pluckCents = { left: [-1.5], right: [1.5] } as const;

type VoicesOptions = {
  readonly level: number;
  readonly random: Random;
  /** For plucked notes: seconds until a note at middle C is 60 dB down, and its brightness. */
  readonly pluck?: { readonly decaySeconds: number; readonly brightness: number };
};

export function createVoices(
  notes: readonly Note[],
  { level, random, pluck }: VoicesOptions,
): Instrument {
  const softness = pluck ? 2.4 - 1.3 * pluck.brightness : 1.1;
  const cents = pluck ? pluckCents : detuneCents;
  const voices = notes.map((note) => {
    const hertz = hertzOf(note.pitch);
    const decaySeconds = pluck && pluck.decaySeconds * (262 / hertz) ** 0.4;
    return {
      note,
      decaySeconds,
      lasts: decaySeconds ?? note.seconds + releaseSeconds,
      table: waveTable(hertz, softness),
      phases: { left: cents.left.map(random), right: cents.right.map(random) },
    };
  });
  const envelope = new Float32Array(sampleRate);
  return (bus, block) => {
    for (const { note, decaySeconds, lasts, table, phases } of voices) {
      const first = Math.round(note.startsAt * sampleRate);
      const from = Math.max(0, first - block.from);
      const to = Math.min(block.count, first + Math.round(lasts * sampleRate) - block.from);
      if (from >= to) continue;
      fillEnvelope(envelope, { from, to }, (at) => {
        const age = (block.from + at) / sampleRate - note.startsAt;
        if (decaySeconds === undefined) return held(age, note.seconds);
        return eased(age / pluckAttackSeconds) * 10 ** ((-3 * age) / decaySeconds);
      });
      for (const side of ['left', 'right'] as const) {
        const gain = level * note.loudness * Math.sqrt(side === 'left' ? 1 - note.pan : note.pan);
        for (const [index, detuned] of cents[side].entries()) {
          const step = hertzOf(note.pitch + detuned / 100) / sampleRate;
          const start = (phases[side][index]! + (block.from + from - first) * step) % 1;
          addOscillator(bus[side], { from, to, table, start, step, gain, envelope });
        }
      }
    }
  };
}

type Oscillator = {
  readonly from: number;
  readonly to: number;
  readonly table: Float32Array;
  /** Position in the period at `from`, and its advance per sample, both from 0 to 1. */
  readonly start: number;
  readonly step: number;
  readonly gain: number;
  readonly envelope: Float32Array;
};

function addOscillator(out: Float32Array, oscillator: Oscillator): void {
  const { from, to, table, gain, envelope } = oscillator;
  const step = oscillator.step * tableSize;
  let phase = oscillator.start * tableSize;
  for (let at = from; at < to; at += 1) {
    const index = phase | 0;
    const value = table[index]! + (phase - index) * (table[index + 1]! - table[index]!);
    out[at]! += value * gain * envelope[at]!;
    phase += step;
    if (phase >= tableSize) phase -= tableSize;
  }
}

/** One period with harmonics up to `partialHertzMax`, so that nothing aliases. */
function waveTable(hertz: number, softness: number): Float32Array {
  const table = new Float32Array(tableSize + 1);
  const partials = Math.min(32, Math.floor(partialHertzMax / hertz));
  for (let partial = 1; partial <= partials; partial += 1) {
    const level = partial ** -softness * (partial % 2 ? 1 : 0.7);
    for (let at = 0; at <= tableSize; at += 1) {
      table[at]! += level * Math.sin((2 * Math.PI * partial * at) / tableSize);
    }
  }
  return table;
}

function eased(share: number): number {
  const limited = Math.min(1, Math.max(0, share));
  return limited * limited * (3 - 2 * limited);
}

const held = (age: number, seconds: number): number =>
  eased(age / attackSeconds) * eased((seconds + releaseSeconds - age) / releaseSeconds);

/** Computed every 64 samples, and interpolated in between. */
function fillEnvelope(
  envelope: Float32Array,
  span: { readonly from: number; readonly to: number },
  levelAt: (at: number) => number,
): void {
  for (let { from } = span; from < span.to; from += 64) {
    const end = Math.min(span.to, from + 64);
    let level = levelAt(from);
    const slope = (levelAt(end) - level) / (end - from);
    for (let at = from; at < end; at += 1) {
      envelope[at] = level;
      level += slope;
    }
  }
}
