/**
 * The two instruments: a pad of detuned oscillators for held notes, and a plucked string for figure
 * and bass. Both add their notes to a bus, block by block and in order.
 */
import type { Random } from '../random.ts';
import { mixIn } from './filters.ts';
import { type AudioBlock, type Stereo, sampleRate } from './sound.ts';

export type Note = {
  readonly startsAt: number;
  /** How long the note is held; its release follows. */
  readonly seconds: number;
  /** MIDI pitch: 60 is middle C, 12 is an octave. */
  readonly pitch: number;
  readonly loudness: number;
  /** 0 is left, 1 is right. */
  readonly pan: number;
};

export type Instrument = (bus: Stereo, block: AudioBlock) => void;

export const hertzOf = (pitch: number): number => 440 * 2 ** ((pitch - 69) / 12);

const tableSize = 2_048;
const partialHertzMax = 7_000;
const attackSeconds = 0.5;
const releaseSeconds = 1.1;
/** Detuning of the three oscillators of each channel, in cents. */
const detuneCents = { left: [-9, -2, 6], right: [-6, 2, 9] } as const;

export function createPad(
  notes: readonly Note[],
  { level, random }: { readonly level: number; readonly random: Random },
): Instrument {
  const voices = notes.map((note) => ({
    note,
    table: waveTable(hertzOf(note.pitch)),
    phases: { left: [random(), random(), random()], right: [random(), random(), random()] },
  }));
  const envelope = new Float32Array(sampleRate);
  return (bus, block) => {
    for (const { note, table, phases } of voices) {
      const first = Math.round(note.startsAt * sampleRate);
      const last = Math.round((note.startsAt + note.seconds + releaseSeconds) * sampleRate);
      const from = Math.max(0, first - block.from);
      const to = Math.min(block.count, last - block.from);
      if (from >= to) continue;
      fillEnvelope(envelope, { from, to, note, blockFrom: block.from });
      for (const side of ['left', 'right'] as const) {
        const gain = level * note.loudness * Math.sqrt(side === 'left' ? 1 - note.pan : note.pan);
        for (const [index, cents] of detuneCents[side].entries()) {
          const step = hertzOf(note.pitch + cents / 100) / sampleRate;
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
function waveTable(hertz: number): Float32Array {
  const table = new Float32Array(tableSize + 1);
  const partials = Math.min(32, Math.floor(partialHertzMax / hertz));
  for (let partial = 1; partial <= partials; partial += 1) {
    const level = partial ** -1.1 * (partial % 2 ? 1 : 0.7);
    for (let at = 0; at <= tableSize; at += 1) {
      table[at]! += level * Math.sin((2 * Math.PI * partial * at) / tableSize);
    }
  }
  return table;
}

const smoothstep = (share: number): number => share * share * (3 - 2 * share);

/** Computed every 64 samples, and interpolated in between. */
function fillEnvelope(
  envelope: Float32Array,
  options: { from: number; to: number; note: Note; blockFrom: number },
): void {
  const { to, note, blockFrom } = options;
  const levelAt = (at: number): number =>
    envelopeAt((blockFrom + at) / sampleRate - note.startsAt, note.seconds);
  for (let from = options.from; from < to; from += 64) {
    const end = Math.min(to, from + 64);
    let level = levelAt(from);
    const slope = (levelAt(end) - level) / (end - from);
    for (let at = from; at < end; at += 1) {
      envelope[at] = level;
      level += slope;
    }
  }
}

function envelopeAt(age: number, seconds: number): number {
  const rise = Math.min(1, Math.max(0, age / attackSeconds));
  const fall = Math.min(1, Math.max(0, (seconds + releaseSeconds - age) / releaseSeconds));
  return smoothstep(rise) * smoothstep(fall);
}

type PluckOptions = {
  readonly level: number;
  /** Until the fundamental of a note at middle C is 60 dB down. */
  readonly decaySeconds: number;
  /** 0 to 1: how loud the upper partials are. */
  readonly brightness: number;
};

/** Two-pole resonators, one per partial. */
type RingingNote = {
  readonly note: Note;
  readonly first: number;
  readonly last: number;
  readonly resonators: Resonator[];
};
type Resonator = {
  readonly feedback: number;
  readonly damping: number;
  now: number;
  before: number;
};

const pluckPartials = 8;
const pluckAttackSamples = 240;

export function createPluck(notes: readonly Note[], options: PluckOptions): Instrument {
  const waiting = notes.toSorted((one, other) => one.startsAt - other.startsAt);
  let ringing: RingingNote[] = [];
  const scratch = new Float32Array(sampleRate);
  return (bus, block) => {
    const end = block.from + block.count;
    while (waiting[0] && waiting[0].startsAt * sampleRate < end) {
      ringing.push(pluck(waiting.shift()!, options));
    }
    for (const { note, first, last, resonators } of ringing) {
      const from = Math.max(0, first - block.from);
      const to = Math.min(block.count, last - block.from);
      scratch.fill(0, from, to);
      for (const resonator of resonators) ring(scratch, resonator, { from, to });
      const attackEnd = Math.min(to, first + pluckAttackSamples - block.from);
      for (let at = from; at < attackEnd; at += 1) {
        scratch[at]! *= smoothstep((block.from + at - first) / pluckAttackSamples);
      }
      const gain = note.loudness * options.level;
      mixIn(bus.left, scratch, { from, to, level: gain * Math.sqrt(1 - note.pan) });
      mixIn(bus.right, scratch, { from, to, level: gain * Math.sqrt(note.pan) });
    }
    ringing = ringing.filter(({ last }) => last > end);
  };
}

/** Every partial starts at the zero of its sine, so that the note does not click. */
function pluck(note: Note, { decaySeconds, brightness }: PluckOptions): RingingNote {
  const hertz = hertzOf(note.pitch);
  const first = Math.max(0, Math.round(note.startsAt * sampleRate));
  const seconds = decaySeconds * (262 / hertz) ** 0.4;
  const resonators: Resonator[] = [];
  for (let partial = 1; partial <= pluckPartials; partial += 1) {
    // A real string is stiff: its upper partials are slightly sharp.
    const own = hertz * partial * Math.sqrt(1 + 0.0002 * partial * partial);
    if (own > partialHertzMax) break;
    const softness = 2.6 - 1.5 * brightness - 0.4 * note.loudness;
    const angle = (2 * Math.PI * own) / sampleRate;
    const decay = 10 ** ((-3 * (1 + 0.35 * (partial - 1))) / (seconds * sampleRate));
    resonators.push({
      feedback: 2 * decay * Math.cos(angle),
      damping: decay * decay,
      now: 0,
      before: (-(partial ** -softness) * Math.sin(angle)) / decay,
    });
  }
  return { note, first, last: first + Math.ceil(seconds * sampleRate), resonators };
}

function ring(
  out: Float32Array,
  resonator: Resonator,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const { feedback, damping } = resonator;
  let { now, before } = resonator;
  for (let at = from; at < to; at += 1) {
    out[at]! += now;
    const next = feedback * now - damping * before;
    before = now;
    now = next;
  }
  resonator.now = now;
  resonator.before = before;
}
