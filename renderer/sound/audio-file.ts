/**
 * Decodes the audio of an untrusted file while it is read. Memory does not grow with its length,
 * and neither its bytes nor its header can make it cost more than `secondsMax` seconds of audio.
 */
import type { Frame } from 'node-av/lib';
import { type Av, loadAv } from '../node-av.ts';
import { UnusableMaterial } from '../unusable.ts';
import {
  type AudioInput,
  checkSampleFormat,
  headerSeconds,
  isHeaderExact,
  openAudioInput,
  secondsAt,
} from './audio-input.ts';
import { type AudioStream, joinSamples, sampleRate, samplesIn } from './sound.ts';

type AudioFile = AudioStream & {
  /** As the header says, at most `secondsMax`. The audio itself may end earlier or later. */
  readonly seconds: number;
};

const frameSamplesMax = 262_144;
/** More packets per second than any codec writes: protects against files made to waste time. */
const packetsPerSecondMax = 4_000;
/** Broken packets are skipped, as players do, unless they outnumber the good ones. */
const brokenPacketsMax = 50;
/** A file that is shorter than its header by more than this was cut off. */
const missingShareMax = 0.1;
const missingSecondsMax = 0.5;
/** A timestamp gap below this is rounding; a longer one becomes silence. */
const gapSecondsMin = 0.1;

/** Returns null when the file has no audio. Throws `UnusableMaterial` when it cannot be used. */
export async function openAudioFile(
  file: string,
  { secondsMax }: { readonly secondsMax: number },
): Promise<AudioFile | null> {
  const av = await loadAv();
  // A damaged file logs an error per packet; the errors that matter are thrown.
  av.Log.setLevel(av.constants.AV_LOG_FATAL);
  const input = await openAudioInput(av, file);
  if (input === null) return null;
  const queue = createQueue(samplesIn(secondsMax));
  const decoder = createDecoder(av, input, {
    queue,
    packetsMax: packetsPerSecondMax * (secondsMax + 1),
  });
  let isClosed = false;
  const audio: AudioFile = {
    seconds: Math.min(secondsMax, headerSeconds(av, input) ?? secondsMax),
    async next() {
      while (queue.length() < sampleRate && !queue.isFull() && (await decoder.step()));
      return queue.take();
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      decoder.free();
      await input.close();
    },
  };
  try {
    // Finds a file without any audio here instead of in the middle of the clip.
    while (queue.length() === 0 && (await decoder.step()));
  } catch (error) {
    await audio.close();
    throw error;
  }
  if (queue.length() > 0) return audio;
  await audio.close();
  return null;
}

type SampleQueue = ReturnType<typeof createQueue>;

/** Decoded samples, taken a second at a time. Samples beyond `samplesMax` are dropped. */
function createQueue(samplesMax: number) {
  let blocks: Float32Array[] = [];
  let length = 0;
  let added = 0;
  let skipping = 0;
  const push = (samples: Float32Array): void => {
    const accepted = samples.subarray(0, Math.max(0, samplesMax - added) * 2);
    if (accepted.length === 0) return;
    blocks.push(accepted);
    added += accepted.length / 2;
    length += accepted.length / 2;
  };
  return {
    add(samples: Float32Array): void {
      const skipped = Math.min(skipping, samples.length / 2);
      skipping -= skipped;
      push(samples.subarray(skipped * 2));
    },
    addSilence(samples: number): void {
      // A wrong timestamp may ask for hours of silence; it gets what fits the clip.
      for (let left = Math.min(samples, samplesMax - added); left > 0; left -= sampleRate) {
        push(new Float32Array(Math.min(left, sampleRate) * 2));
      }
    },
    /** Drops this many of the next samples. */
    skip(samples: number): void {
      skipping += samples;
    },
    length: () => length,
    isFull: () => added >= samplesMax,
    take(): Float32Array | null {
      const all = joinSamples(blocks);
      const block = all.subarray(0, sampleRate * 2);
      blocks = [all.subarray(block.length)];
      length -= block.length / 2;
      return block.length > 0 ? block : null;
    },
  };
}

function createDecoder(
  av: Av,
  input: AudioInput,
  { queue, packetsMax }: { readonly queue: SampleQueue; readonly packetsMax: number },
) {
  const { format, stream, decoder } = input;
  const packet = new av.Packet();
  const frame = new av.Frame();
  packet.alloc();
  frame.alloc();
  const convert = createConverter(av, input, queue);
  const counts = { packets: 0, frames: 0, broken: 0, seconds: 0 };
  let hasEnded = false;

  const receive = (): void => {
    while (decoder.receiveFrameSync(frame) >= 0) {
      convert(frame);
      counts.frames += 1;
      counts.seconds += frame.nbSamples / frame.sampleRate;
      frame.unref();
    }
  };
  const finish = (): void => {
    decoder.sendPacketSync(null);
    receive();
    convert(null);
    if (counts.packets > 0 && counts.frames === 0) {
      throw new UnusableMaterial('none of its audio can be decoded');
    }
    if (counts.frames > 0 && !queue.isFull()) checkLength(av, input, counts.seconds);
  };
  return {
    /** Decodes one more packet. Returns false at the end of the file. */
    async step(): Promise<boolean> {
      if (hasEnded) return false;
      // A read error counts as the end: the audio before it is still played.
      hasEnded = (await format.readFrame(packet)) < 0;
      if (hasEnded) finish();
      else if (packet.streamIndex === stream.index) {
        counts.packets += 1;
        if (decoder.sendPacketSync(packet) < 0) counts.broken += 1;
        receive();
      }
      packet.unref();
      const isHopeless = counts.broken > brokenPacketsMax && counts.broken > counts.frames;
      if (isHopeless || counts.packets > packetsMax) {
        throw new UnusableMaterial('most of its audio is damaged');
      }
      return !hasEnded;
    },
    free() {
      packet.free();
      frame.free();
    },
  };
}

function checkLength(av: Av, input: AudioInput, seconds: number): void {
  const expected = isHeaderExact(input) ? headerSeconds(av, input) : null;
  if (expected === null || seconds > expected * (1 - missingShareMax) - missingSecondsMax) return;
  throw new UnusableMaterial(
    `the file is cut off: ${seconds.toFixed(1)} s of ${expected.toFixed(1)} s`,
  );
}

/** Adds frames to the queue as 48 kHz stereo, each at its own time. Null flushes the converter. */
function createConverter(
  av: Av,
  input: AudioInput,
  queue: SampleQueue,
): (frame: Frame | null) => void {
  const { stream, convert } = input;
  /** The start of the clip on the file's clock: of its video, or else of its audio. */
  let start = input.videoStartsAt;
  /** Seconds added since the start; null before the first frame. */
  let position: number | null = null;
  let counted = 0n;
  const alignTo = (frame: Frame): void => {
    const time = secondsAt(av, stream, frame.bestEffortTimestamp);
    start ??= time ?? 0;
    const gap = time === null ? 0 : time - start - (position ?? 0);
    if (position !== null && Math.abs(gap) < gapSecondsMin) return;
    if (gap > 0) queue.addSilence(samplesIn(gap));
    else queue.skip(samplesIn(-gap));
    position = (position ?? 0) + gap;
  };
  return (frame) => {
    if (frame) {
      checkSampleFormat({ rate: frame.sampleRate, channels: frame.channels });
      if (frame.nbSamples > frameSamplesMax) throw new UnusableMaterial('its frames are too long');
      alignTo(frame);
      position = (position ?? 0) + frame.nbSamples / frame.sampleRate;
      // Gaps were filled above, so the converter gets continuous timestamps.
      frame.timeBase = new av.Rational(1, frame.sampleRate);
      frame.pts = counted;
      counted += BigInt(frame.nbSamples);
    } else if (position === null) return;
    const frames = frame ? convert.processAllSync(frame) : convert.flushFramesSync();
    for (const converted of frames) {
      queue.add(stereoOf(converted));
      converted.free();
    }
  };
}

/** Mono is copied to both channels at full level; FFmpeg would lower it by 3 dB. */
function stereoOf(frame: Frame): Float32Array {
  const { nbSamples, channels } = frame;
  const bytes = frame.toBuffer();
  // Copied, since a Float32Array must start at a multiple of four bytes.
  const samples = new Float32Array(nbSamples * channels);
  Buffer.from(samples.buffer).set(bytes.subarray(0, samples.byteLength));
  if (channels === 2) return samples;
  const both = new Float32Array(nbSamples * 2);
  for (let at = 0; at < nbSamples; at += 1) both.fill(samples[at]!, at * 2, at * 2 + 2);
  return both;
}
