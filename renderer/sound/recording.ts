/**
 * The sound of a customer's file, decoded while it is heard: memory does not grow with its length,
 * and neither its bytes nor its claims can make it cost more than a sound of `secondsMax` does.
 */
import type { Frame } from 'node-av/lib';
import { type AudioStream, sampleRate, samplesIn } from './sound.ts';
import {
  type Av,
  checkShape,
  claimedSeconds,
  isClaimExact,
  load,
  openSource,
  type Source,
  secondsAt,
  UnusableRecording,
} from './sound-file.ts';

export type Recording = AudioStream & {
  /** What the file claims, at most `secondsMax`. The sound itself may end before or after it. */
  readonly seconds: number;
};

const frameSamplesMax = 262_144;
/** More packets for a second of sound than any codec writes: a file that only keeps us busy. */
const packetsPerSecondMax = 4_000;
/** Broken packets are left out, as every player does, until they outnumber the good ones. */
const brokenPacketsMax = 50;
/** A file that ends so much before the length it tells was cut off. */
const missingShareMax = 0.1;
const missingSecondsMax = 0.5;
/** A jump of the clock below this is rounding, above it a gap that is kept as silence. */
const gapSecondsMin = 0.1;

/** Null when the file has no sound. Throws `UnusableRecording` when it has some that is no use. */
export async function openRecording(
  file: string,
  { secondsMax }: { readonly secondsMax: number },
): Promise<Recording | null> {
  const av = await load();
  // A damaged file has an error a packet; what matters of them is thrown.
  av.Log.setLevel(av.constants.AV_LOG_FATAL);
  const source = await openSource(av, file);
  if (source === null) return null;
  const queue = createQueue(samplesIn(secondsMax));
  const pump = createPump(av, source, {
    queue,
    packetsMax: packetsPerSecondMax * (secondsMax + 1),
  });
  let closed = false;
  const recording: Recording = {
    seconds: Math.min(secondsMax, claimedSeconds(av, source) ?? secondsMax),
    async next() {
      while (queue.waiting() < sampleRate && !queue.isFull() && (await pump.turn()));
      return queue.take();
    },
    async close() {
      if (closed) return;
      closed = true;
      pump.free();
      await source.close();
    },
  };
  try {
    // A file without a single sound in it is found out here, not in the middle of a clip.
    while (queue.waiting() === 0 && (await pump.turn()));
  } catch (error) {
    await recording.close();
    throw error;
  }
  if (queue.waiting() > 0) return recording;
  await recording.close();
  return null;
}

/** Samples that wait to be taken, a second at a time; what would be too many is not kept. */
type Queue = {
  add(samples: Float32Array): void;
  addSilence(samples: number): void;
  /** Leaves out so many of those that come next. */
  skip(samples: number): void;
  /** Of each channel. */
  waiting(): number;
  isFull(): boolean;
  take(): Float32Array | null;
};

function createQueue(samplesMax: number): Queue {
  let blocks: Float32Array[] = [];
  let held = 0;
  let added = 0;
  let skipping = 0;
  const push = (samples: Float32Array): void => {
    const kept = samples.subarray(0, Math.max(0, samplesMax - added) * 2);
    if (kept.length === 0) return;
    blocks.push(kept);
    added += kept.length / 2;
    held += kept.length / 2;
  };
  return {
    add(samples) {
      const skipped = Math.min(skipping, samples.length / 2);
      skipping -= skipped;
      push(samples.subarray(skipped * 2));
    },
    addSilence(samples) {
      // A lying clock asks for hours of it, and gets what the clip can hold.
      for (let left = Math.min(samples, samplesMax - added); left > 0; left -= sampleRate) {
        push(new Float32Array(Math.min(left, sampleRate) * 2));
      }
    },
    skip: (samples) => {
      skipping += samples;
    },
    waiting: () => held,
    isFull: () => added >= samplesMax,
    take() {
      const count = Math.min(sampleRate, held);
      if (count === 0) return null;
      const block = new Float32Array(count * 2);
      let filled = 0;
      while (filled < block.length) {
        const first = blocks[0]!;
        const part = first.subarray(0, block.length - filled);
        block.set(part, filled);
        filled += part.length;
        if (part.length === first.length) blocks = blocks.slice(1);
        else blocks[0] = first.subarray(part.length);
      }
      held -= count;
      return block;
    },
  };
}

type Pump = {
  /** One packet further. False when there is no more. */
  turn(): Promise<boolean>;
  free(): void;
};

function createPump(
  av: Av,
  source: Source,
  { queue, packetsMax }: { readonly queue: Queue; readonly packetsMax: number },
): Pump {
  const { format, stream, decoder } = source;
  const packet = new av.Packet();
  const frame = new av.Frame();
  packet.alloc();
  frame.alloc();
  const hear = createHearing(av, source, queue);
  const seen = { packets: 0, frames: 0, broken: 0, seconds: 0 };
  let ended = false;

  const receive = (): void => {
    while (decoder.receiveFrameSync(frame) >= 0) {
      hear(frame);
      seen.frames += 1;
      seen.seconds += frame.nbSamples / frame.sampleRate;
      frame.unref();
    }
  };
  const finish = (): void => {
    decoder.sendPacketSync(null);
    receive();
    hear(null);
    if (seen.packets > 0 && seen.frames === 0) {
      throw new UnusableRecording('none of its sound can be decoded');
    }
    if (seen.frames > 0 && !queue.isFull()) checkEnd(av, source, seen.seconds);
  };
  return {
    async turn() {
      if (ended) return false;
      // An error of the file ends it like its end does: what came before it is heard.
      ended = (await format.readFrame(packet)) < 0;
      if (ended) finish();
      else if (packet.streamIndex === stream.index) {
        seen.packets += 1;
        if (decoder.sendPacketSync(packet) < 0) seen.broken += 1;
        receive();
      }
      packet.unref();
      const isHopeless = seen.broken > brokenPacketsMax && seen.broken > seen.frames;
      if (isHopeless || seen.packets > packetsMax) {
        throw new UnusableRecording('more of it is broken than whole');
      }
      return !ended;
    },
    free() {
      packet.free();
      frame.free();
    },
  };
}

function checkEnd(av: Av, source: Source, seconds: number): void {
  const claimed = isClaimExact(source) ? claimedSeconds(av, source) : null;
  if (claimed === null || seconds > claimed * (1 - missingShareMax) - missingSecondsMax) return;
  const [had, told] = [seconds, claimed].map((value) => value.toFixed(1));
  throw new UnusableRecording(`it breaks off: ${had} s of the ${told} s it says it has`);
}

/** Brings frames to the queue as stereo at our rate, each at its own time. Null ends the sound. */
function createHearing(av: Av, source: Source, queue: Queue): (frame: Frame | null) => void {
  const { stream, convert } = source;
  /** Where the clip begins on the file's clock: with its picture, else with its first sound. */
  let begin = source.pictureAt;
  /** Seconds since then; null before the first sound. */
  let heard: number | null = null;
  let counted = 0n;
  const place = (frame: Frame): void => {
    const time = secondsAt(av, stream, frame.bestEffortTimestamp);
    begin ??= time ?? 0;
    const gap = time === null ? 0 : time - begin - (heard ?? 0);
    if (heard !== null && Math.abs(gap) < gapSecondsMin) return;
    if (gap > 0) queue.addSilence(samplesIn(gap));
    else queue.skip(samplesIn(-gap));
    heard = (heard ?? 0) + gap;
  };
  return (frame) => {
    if (frame) {
      checkShape({ rate: frame.sampleRate, channels: frame.channels });
      if (frame.nbSamples > frameSamplesMax) throw new UnusableRecording('its frames are too long');
      place(frame);
      heard = (heard ?? 0) + frame.nbSamples / frame.sampleRate;
      // The converter gets a clock without gaps: what is missing was put in here.
      frame.timeBase = new av.Rational(1, frame.sampleRate);
      frame.pts = counted;
      counted += BigInt(frame.nbSamples);
    } else if (heard === null) return;
    const frames = frame ? convert.processAllSync(frame) : convert.flushFramesSync();
    for (const converted of frames) {
      queue.add(stereoOf(converted));
      converted.free();
    }
  };
}

/** One channel is heard on both sides as loud as it was: FFmpeg would turn it down by 3 dB. */
function stereoOf(frame: Frame): Float32Array {
  const { nbSamples, channels } = frame;
  const bytes = frame.toBuffer();
  // Copied, since samples must begin at a multiple of four bytes.
  const samples = new Float32Array(nbSamples * channels);
  Buffer.from(samples.buffer).set(bytes.subarray(0, samples.byteLength));
  if (channels === 2) return samples;
  const both = new Float32Array(nbSamples * 2);
  for (let at = 0; at < nbSamples; at += 1) both.fill(samples[at]!, at * 2, at * 2 + 2);
  return both;
}
