/**
 * Sustained voices: pads, strings, choir, brass. A note reads its timbre's table at its own speed,
 * which costs one look-up a sample for each side.
 */
import type { Random } from '../random.ts';
import type { Note } from './note.ts';
import { type Block, type Stereo, sampleRate } from './sound.ts';
import { type Tables, type Timbre, tableRate, tableSize } from './timbres.ts';

export type Bowing = { readonly attackSeconds: number; readonly releaseSeconds: number };

/** Adds its notes to the bus. Blocks must come in their order. */
export function createEnsemble(options: {
  readonly notes: readonly Note[];
  readonly loudness: number;
  readonly timbre: Timbre;
  readonly bowing: Bowing;
  readonly tables: Tables;
  readonly random: Random;
}): (bus: Stereo, block: Block) => void {
  const { timbre, bowing, tables, random, loudness } = options;
  const voices = options.notes.map((note) => ({ note, phase: random() * tableSize }));
  return (bus, block) => {
    for (const voice of voices) {
      const { startsAt, seconds, pitch } = voice.note;
      const first = Math.round(startsAt * sampleRate);
      const last = Math.round((startsAt + seconds + bowing.releaseSeconds) * sampleRate);
      const from = Math.max(0, first - block.from);
      const to = Math.min(block.count, last - block.from);
      if (from >= to) continue;
      const table = tables(timbre, pitch);
      voice.phase = bow(bus, {
        ...{ from, to, bowing, loudness },
        note: voice.note,
        ageSamples: block.from - first,
        samples: table.samples,
        phase: voice.phase,
        step: (2 ** ((pitch - table.pitch) / 12) * tableRate) / sampleRate,
      });
    }
  };
}

const stepSamples = 64;

type Stroke = {
  readonly from: number;
  readonly to: number;
  readonly note: Note;
  readonly loudness: number;
  readonly bowing: Bowing;
  /** Of the note at the beginning of the block. */
  readonly ageSamples: number;
  readonly samples: Float32Array;
  readonly phase: number;
  readonly step: number;
};

/** Returns where in the table the next block goes on. The channels read half a loop apart. */
function bow({ left, right }: Stereo, stroke: Stroke): number {
  const { from, to, note, bowing, ageSamples, samples, step } = stroke;
  const leftGain = Math.sqrt(1 - note.pan) * Math.SQRT2;
  const rightGain = Math.sqrt(note.pan) * Math.SQRT2;
  const levelAt = (at: number): number =>
    note.loudness *
    stroke.loudness *
    envelope((ageSamples + at) / sampleRate, note.seconds, bowing);
  let { phase } = stroke;
  let level = levelAt(from);
  for (let start = from; start < to; start += stepSamples) {
    const end = Math.min(to, start + stepSamples);
    const slope = (levelAt(end) - level) / (end - start);
    for (let at = start; at < end; at += 1) {
      const index = phase | 0;
      const share = phase - index;
      const other = (index + tableSize / 2) & (tableSize - 1);
      const near = samples[index]! + share * (samples[index + 1]! - samples[index]!);
      const far = samples[other]! + share * (samples[other + 1]! - samples[other]!);
      left[at]! += near * level * leftGain;
      right[at]! += far * level * rightGain;
      level += slope;
      phase += step;
      if (phase >= tableSize) phase -= tableSize;
    }
  }
  return phase;
}

function envelope(age: number, seconds: number, bowing: Bowing): number {
  const rise = Math.min(1, Math.max(0, age / bowing.attackSeconds));
  const fall = Math.min(
    1,
    Math.max(0, (seconds + bowing.releaseSeconds - age) / bowing.releaseSeconds),
  );
  return rise * rise * (3 - 2 * rise) * fall * fall * (3 - 2 * fall);
}
