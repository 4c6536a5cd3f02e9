/**
 * The final mix: the given audio tracks in order over a quieter background, or the sound of an
 * edited video unchanged. Exactly as long as the clip, and never clipped.
 */
import { type AudioStream, joinSamples, limitPeaks, sampleRate, samplesIn } from './sound.ts';

/** A track that is longer than the clip fades out. */
const fadeSamples = samplesIn(0.3);
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
  const fill =
    sounds.length < 2 ? fitted(sounds[0] ?? silence) : mixed(tracks, background ?? silence, total);
  let made = 0;
  return {
    async next() {
      const from = made;
      const count = Math.min(sampleRate, total - from);
      if (count <= 0) return null;
      made += count;
      const block = new Float32Array(count * 2);
      await fill(block, from);
      return block;
    },
    async close() {
      await Promise.all(sounds.map((sound) => sound.close()));
    },
  };
}

/** Fills a block of silence that starts at the given sample. */
type Fill = (block: Float32Array, from: number) => Promise<void>;

function fitted(sound: AudioStream): Fill {
  const take = readerOf(sound);
  return async (block) => block.set(await take(block.length / 2));
}

function mixed(tracks: readonly AudioStream[], background: AudioStream, total: number): Fill {
  const [over, under] = [readerOf(joined(tracks)), readerOf(background)];
  /** When the background starts to return; null while a track plays. */
  let returnsAt: number | null = null;
  return async (block, from) => {
    const count = block.length / 2;
    const [track, music] = await Promise.all([over(count), under(count)]);
    if (track.length < block.length) returnsAt ??= from + track.length / 2;
    for (let at = 0; at < track.length; at += 1) {
      block[at] = track[at]! * Math.min(1, (total - from - (at >> 1)) / fadeSamples);
    }
    for (let at = 0; at < music.length; at += 1) {
      block[at]! += music[at]! * backgroundGain(from + (at >> 1), returnsAt);
    }
    limitPeaks(block, ceiling);
  };
}

function backgroundGain(at: number, returnsAt: number | null): number {
  if (returnsAt === null || at < returnsAt) return duckedGain;
  const share = Math.min(1, (at - returnsAt) / returnSamples);
  return duckedGain + (1 - duckedGain) * share * share * (3 - 2 * share);
}

function joined(tracks: readonly AudioStream[]): AudioStream {
  const rest = [...tracks];
  let played = 0;
  return {
    async next() {
      for (let now = rest[0]; now; now = rest[0]) {
        const block = (await now.next())?.slice();
        if (block) {
          const rising = Math.min(block.length, (fadeInSamples - played) * 2);
          for (let at = 0; at < rising; at += 1) block[at]! *= (played + (at >> 1)) / fadeInSamples;
          played += block.length / 2;
          return block;
        }
        rest.shift();
        played = 0;
      }
      return null;
    },
    close: async () => {},
  };
}

/** Reads a sound in pieces of any number of samples per channel; fewer at its end. */
function readerOf(sound: AudioStream): (count: number) => Promise<Float32Array> {
  let buffer = new Float32Array(0);
  let hasEnded = false;
  return async (count) => {
    while (!hasEnded && buffer.length < count * 2) {
      const block = await sound.next();
      hasEnded = block === null;
      if (block) buffer = joinSamples([buffer, block]);
    }
    const taken = buffer.subarray(0, count * 2);
    buffer = buffer.subarray(taken.length);
    return taken;
  };
}
