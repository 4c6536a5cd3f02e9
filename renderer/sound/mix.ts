/**
 * The final mix: the given audio tracks in order over quieter background music, or the sound of an
 * edited video unchanged. Exactly as long as the clip, and never clipped.
 */
import { limited } from './limiter.ts';
import { type AudioStream, joinSamples, sampleRate, samplesIn } from './sound.ts';

/** Each track starts this long before the previous one ends; the last one fades out. */
const fadeSeconds = 0.3;
const fadeSamples = samplesIn(fadeSeconds);
/** Prevents a click when a track starts at a loud sample. */
const fadeInSamples = samplesIn(0.005);
/** The background under a track: 15 dB down, so that speech stays clear. */
const duckedGain = 10 ** (-15 / 20);
/** How long the background takes to return to full level after the last track. */
const returnSamples = samplesIn(0.8);
const ceiling = 0.95;

const silence: AudioStream = { next: async () => null, close: async () => {} };

/**
 * Plays each track once, one after the other; the background continues alone after the last. A
 * single sound without another stays unchanged, sample by sample: cut, or followed by silence.
 */
export function mix(options: {
  readonly tracks: readonly AudioStream[];
  /** Null for none. Closed with the tracks. */
  readonly background: AudioStream | null;
  readonly seconds: number;
}): AudioStream {
  const { tracks, background } = options;
  const total = samplesIn(options.seconds);
  const sounds = [...tracks, ...(background ? [background] : [])];
  const close = async (): Promise<void> => {
    await Promise.all(sounds.map((sound) => sound.close()));
  };
  if (sounds.length < 2) return { next: fitted(sounds[0] ?? silence, total), close };
  const next = mixed(tracks, background ?? silence, total);
  return limited({ next, close }, ceiling);
}

function mixed(
  tracks: readonly AudioStream[],
  background: AudioStream,
  total: number,
): AudioStream['next'] {
  const [over, under] = [
    createBufferedReader(joinTracks(tracks)),
    createBufferedReader(background),
  ];
  /** When the background starts to return; null while a track plays. */
  let returnsAt: number | null = null;
  return blocksOf(total, async (block, from) => {
    const count = block.length / 2;
    const [track, music] = await Promise.all([take(over, count), take(under, count)]);
    const end = from + track.length / 2;
    if (end < from + count) returnsAt ??= Math.max(from, end - fadeSamples);
    for (let at = 0; at < track.length; at += 1) {
      block[at] = track[at]! * edgeGain(from + (at >> 1), total);
    }
    for (let at = 0; at < music.length; at += 1) {
      block[at]! += music[at]! * backgroundGain(from + (at >> 1), returnsAt);
    }
  });
}

/** Up to `count` samples per channel; fewer at the end of the sound. */
async function take(reader: BufferedReader, count: number): Promise<Float32Array> {
  await reader.fill(count);
  return reader.take(Math.min(count, reader.buffered()));
}

const edgeGain = (at: number, total: number): number =>
  Math.min(1, at / fadeInSamples, (total - at) / fadeSamples);

function backgroundGain(at: number, returnsAt: number | null): number {
  if (returnsAt === null || at < returnsAt) return duckedGain;
  const share = Math.min(1, (at - returnsAt) / returnSamples);
  return duckedGain + (1 - duckedGain) * share * share * (3 - 2 * share);
}

/** The sound itself: cut after `total` samples, or followed by silence. */
function fitted(sound: AudioStream, total: number): AudioStream['next'] {
  const reader = createBufferedReader(sound);
  return blocksOf(total, async (block) => block.set(await take(reader, block.length / 2)));
}

/** Blocks of one second until `total` samples are made. */
function blocksOf(
  total: number,
  fill: (block: Float32Array, from: number) => Promise<void>,
): AudioStream['next'] {
  let made = 0;
  return async () => {
    const from = made;
    const count = Math.min(sampleRate, total - from);
    if (count <= 0) return null;
    made += count;
    const block = new Float32Array(count * 2);
    await fill(block, from);
    return block;
  };
}

/** The tracks one after the other, cross-faded. Returns blocks of at most a second. */
function joinTracks(tracks: readonly AudioStream[]): AudioStream {
  const readers = tracks.map(createBufferedReader);
  return {
    async next() {
      for (let now = readers[0]; now; now = readers[0]) {
        // The end of a track must be known one fade ahead.
        await now.fill(sampleRate + fadeSamples);
        const free = now.buffered() - fadeSamples;
        if (free > 0) return now.take(Math.min(sampleRate, free)).slice();
        readers.shift();
        const tail = now.take(now.buffered());
        const head = readers[0] && (await take(readers[0], tail.length / 2));
        if (tail.length > 0) return crossFaded(tail, head ?? new Float32Array(0));
      }
      return null;
    },
    close: async () => {},
  };
}

/** Equal power: the squares of the two gains add up to one. */
function crossFaded(tail: Float32Array, head: Float32Array): Float32Array {
  const faded = new Float32Array(tail.length);
  for (let at = 0; at < tail.length; at += 1) {
    const angle = ((at >> 1) / (tail.length / 2)) * (Math.PI / 2);
    faded[at] = tail[at]! * Math.cos(angle) + (head[at] ?? 0) * Math.sin(angle);
  }
  return faded;
}

/** Reads a sound in pieces of any size, and can look ahead to find its end. */
type BufferedReader = {
  /** Reads until `samples` per channel are buffered, or the sound has ended. */
  fill(samples: number): Promise<void>;
  buffered(): number;
  /** The next samples, at most as many as are buffered. */
  take(samples: number): Float32Array;
};

function createBufferedReader(sound: AudioStream): BufferedReader {
  let buffer = new Float32Array(0);
  let hasEnded = false;
  return {
    async fill(samples) {
      while (!hasEnded && buffer.length < samples * 2) {
        const block = await sound.next();
        hasEnded = block === null;
        if (block) buffer = joinSamples([buffer, block]);
      }
    },
    buffered: () => buffer.length / 2,
    take(samples) {
      const taken = buffer.subarray(0, samples * 2);
      buffer = buffer.subarray(taken.length);
      return taken;
    },
  };
}
