/**
 * What is heard in the end: the customer's recordings in their order over music that makes room for
 * them, or a source's own sound untouched. Exactly as long as the clip, and never clipped.
 */
import { limited } from './limiter.ts';
import { createReader } from './reader.ts';
import { type AudioStream, sampleRate, samplesIn } from './sound.ts';

/** Each recording begins this long before the one ahead of it ends; the last one fades out. */
export const fadeSeconds = 0.3;
const fadeSamples = samplesIn(fadeSeconds);
/** Against the click of a recording that begins in the middle of something. */
const onsetSamples = samplesIn(0.005);
/** Music under a recording: 15 dB down, so that every word is understood. */
const underGain = 10 ** (-15 / 20);
/** How long the music takes to come back when the last recording is over. */
const returnSamples = samplesIn(0.8);
const ceiling = 0.95;

/**
 * Recordings are heard one after the other, once each; after them the music goes on alone. A single
 * recording without music, as in editing, is kept sample by sample: cut, or followed by silence.
 */
export function mix(options: {
  readonly given: readonly AudioStream[];
  /** Closed with the rest. Null for no music. */
  readonly bed: AudioStream | null;
  readonly seconds: number;
}): AudioStream {
  const { given, bed } = options;
  const total = samplesIn(options.seconds);
  const close = async (): Promise<void> => {
    await Promise.all([...given, ...(bed ? [bed] : [])].map((sound) => sound.close()));
  };
  const sounds = [...given, ...(bed ? [bed] : [])];
  const next =
    sounds.length > 1 ? together({ given, bed, total }) : fitted(sounds[0] ?? silence, total);
  const whole: AudioStream = { next, close };
  return sounds.length > 1 ? limited(whole, ceiling) : whole;
}

const silence: AudioStream = { next: async () => null, close: async () => {} };

function together(options: {
  readonly given: readonly AudioStream[];
  readonly bed: AudioStream | null;
  readonly total: number;
}): AudioStream['next'] {
  const { bed, total } = options;
  const recordings = createReader(inTurn(options.given));
  const music = createReader(bed ?? silence);
  /** When the music begins to come back; null while a recording is heard. */
  let returnsAt: number | null = null;
  return blocksOf(total, async (block, from) => {
    const count = block.length / 2;
    await Promise.all([recordings.fill(count), music.fill(count)]);
    const over = recordings.take(Math.min(count, recordings.waiting()));
    const under = music.take(Math.min(count, music.waiting()));
    const end = from + over.length / 2;
    if (end < from + count) returnsAt ??= Math.max(from, end - fadeSamples);
    for (let at = 0; at < over.length; at += 1) {
      block[at] = over[at]! * edgeGain(from + (at >> 1), total);
    }
    for (let at = 0; at < under.length; at += 1) {
      block[at]! += under[at]! * musicGain(from + (at >> 1), returnsAt);
    }
  });
}

/** A recording neither begins nor is cut off with a click. */
const edgeGain = (at: number, total: number): number =>
  Math.min(1, at / onsetSamples, (total - at) / fadeSamples);

function musicGain(at: number, returnsAt: number | null): number {
  if (returnsAt === null || at < returnsAt) return underGain;
  const share = Math.min(1, (at - returnsAt) / returnSamples);
  return underGain + (1 - underGain) * share * share * (3 - 2 * share);
}

/** The sound itself, so many samples of it: cut there, or silent from where it ends. */
function fitted(sound: AudioStream, total: number): AudioStream['next'] {
  const reader = createReader(sound);
  return blocksOf(total, async (block) => {
    await reader.fill(block.length / 2);
    block.set(reader.take(Math.min(block.length / 2, reader.waiting())));
  });
}

/** A second at a time, until all are made. */
function blocksOf(
  total: number,
  make: (block: Float32Array, from: number) => Promise<void>,
): AudioStream['next'] {
  let made = 0;
  return async () => {
    const from = made;
    const count = Math.min(sampleRate, total - from);
    if (count <= 0) return null;
    made += count;
    const block = new Float32Array(count * 2);
    await make(block, from);
    return block;
  };
}

/** One after the other, each faded into the next. Gives pieces of any size up to a second. */
function inTurn(given: readonly AudioStream[]): AudioStream {
  const readers = given.map(createReader);
  return {
    async next() {
      for (let now = readers[0]; now; now = readers[0]) {
        // The end must be seen coming, a fade ahead.
        await now.fill(sampleRate + fadeSamples);
        const free = now.waiting() - fadeSamples;
        if (free > 0) return now.take(Math.min(sampleRate, free)).slice();
        readers.shift();
        const tail = now.take(now.waiting());
        await readers[0]?.fill(tail.length / 2);
        const head = readers[0]?.take(Math.min(tail.length / 2, readers[0].waiting()));
        if (tail.length > 0) return crossFaded(tail, head ?? new Float32Array(0));
      }
      return null;
    },
    close: async () => {},
  };
}

/** As loud in the middle as at both ends: the squares of the two gains add up to one. */
function crossFaded(tail: Float32Array, head: Float32Array): Float32Array {
  const faded = new Float32Array(tail.length);
  for (let at = 0; at < tail.length; at += 1) {
    const angle = ((at >> 1) / (tail.length / 2)) * (Math.PI / 2);
    faded[at] = tail[at]! * Math.cos(angle) + (head[at] ?? 0) * Math.sin(angle);
  }
  return faded;
}
