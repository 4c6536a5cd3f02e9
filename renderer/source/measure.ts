/**
 * Measures the real length of a video from the timestamps of its packets, since the header may be
 * wrong. Reads every packet and decodes none.
 */
import { UnusableMaterial } from '../unusable.ts';
import { type Container, damaged, openContainer } from './container.ts';

export type VideoTiming = Awaited<ReturnType<typeof measureVideo>>;

/** docs/spec.md 4.3.4 allows 30 s; rounding and the last frame may add one more. */
const secondsMax = 31;
const secondsMin = 1 / 12;
/** The longest video at 240 frames per second. */
const framesMax = secondsMax * 240;
/** Including audio and subtitles. */
const packetsMax = 100_000;
/** How much shorter than its header a file may be: many omit the length of the last frame. */
const slackSeconds = 0.5;

export async function measureVideo(container: Container) {
  const { header } = container;
  const { frames, endsAt } = await readTimestamps(container);
  if (frames.count === 0) throw damaged();
  // A last frame without a duration is as long as the average.
  const average = (frames.last - frames.startsAt) / Math.max(1, frames.count - 1);
  const found = frames.last + (frames.lastSeconds || average) - frames.startsAt;
  const missing =
    header.videoSeconds > 0 ? header.videoSeconds - found : header.fileSeconds - endsAt;
  if (missing > slackSeconds) throw damaged();
  // Packet durations follow the decoding order, so a plausible header is more exact.
  const isExact = header.videoSeconds > 0 && Math.abs(missing) <= slackSeconds;
  const playsFrom = Math.min(0, frames.startsAt);
  const seconds = (isExact ? header.videoSeconds : found) + frames.startsAt - playsFrom;
  if (!(seconds <= secondsMax)) {
    throw new UnusableMaterial(`it is ${seconds.toFixed(1)} s long; the maximum is 30 s`);
  }
  if (!(seconds >= secondsMin)) {
    throw new UnusableMaterial(
      `it is ${seconds.toFixed(2)} s long; the minimum is ${secondsMin.toFixed(2)} s`,
    );
  }
  return {
    /** The time of the first frame, in seconds of the file. */
    startsAt: frames.startsAt,
    /** Where the video starts to play: at 0, showing its first frame, unless that is earlier. */
    playsFrom,
    /** From there to the end of the last frame, which is what an edit costs. */
    seconds,
  };
}

type FrameTimes = {
  readonly count: number;
  readonly startsAt: number;
  /** The time of the last frame, and its duration; 0 when unknown. */
  readonly last: number;
  readonly lastSeconds: number;
};

async function readTimestamps(
  container: Container,
): Promise<{ frames: FrameTimes; endsAt: number }> {
  const frames = { count: 0, startsAt: Infinity, last: -Infinity, lastSeconds: 0 };
  let endsAt = 0;
  for await (const { at, duration, streamIndex } of shownPackets(container)) {
    endsAt = Math.max(endsAt, at + duration);
    if (streamIndex !== container.stream.index) continue;
    frames.count += 1;
    frames.startsAt = Math.min(frames.startsAt, at);
    if (at >= frames.last) {
      frames.last = at;
      frames.lastSeconds = duration;
    }
    if (frames.count > framesMax) {
      throw new UnusableMaterial(`it has more than ${framesMax} frames; the maximum is 30 s`);
    }
  }
  return { frames, endsAt };
}

/** Packets before 0 are for decoders. More of them than encoders need count. */
const primingSeconds = 0.25;

/**
 * Returns how long FFmpeg shows a file: from the first packet of any stream to the last end, as
 * `server/materials` measures it. Throws `UnusableMaterial` if that cannot be found out.
 */
export async function longestSeconds(file: string): Promise<number> {
  const options = { onlyVideo: false, isBlocking: true, anyCodec: true };
  await using container = await openContainer(file, options);
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for await (const { at, duration } of shownPackets(container)) {
    first = Math.min(first, at < -primingSeconds ? at : Math.max(0, at));
    last = Math.max(last, at + duration);
  }
  if (last > first) return last - first;
  throw new UnusableMaterial('it has no packets');
}

export type VideoShape = {
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly hasSound: boolean;
};

/** Some vendors add a track of silence: its packets are this small. */
const silentBytesPerSecond = 1000;

/** Reads every packet and decodes none. Throws `UnusableMaterial` if it is no video. */
export async function readShape(file: string): Promise<VideoShape> {
  const options = { onlyVideo: false, isBlocking: true, anyCodec: true };
  await using container = await openContainer(file, options);
  const { index, codecpar } = container.stream;
  let [seconds, soundBytes] = [0, 0];
  for await (const { at, duration, streamIndex, bytes, isSound } of shownPackets(container)) {
    if (streamIndex === index) seconds = Math.max(seconds, at + duration);
    if (isSound) soundBytes += bytes;
  }
  if (seconds <= 0) throw new UnusableMaterial('it has no packets');
  const { width, height } = codecpar;
  return { seconds, width, height, hasSound: soundBytes > silentBytesPerSecond * seconds };
}

/** The times of all packets, without those before the start of an edit list: they are not shown. */
async function* shownPackets(container: Container) {
  const { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD } = container.av.constants;
  for (let packets = 0; packets < packetsMax; packets += 1) {
    using packet = await container.read();
    if (!packet) return;
    const { streamIndex } = packet;
    const shown = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (shown === AV_NOPTS_VALUE || packet.hasFlags(AV_PKT_FLAG_DISCARD)) continue;
    const at = container.secondsOf(shown, streamIndex);
    const duration = container.secondsOf(packet.duration, streamIndex);
    const isSound = container.isSound(streamIndex);
    yield { at, duration, streamIndex, bytes: packet.size, isSound };
  }
  throw new UnusableMaterial(`it has more than ${packetsMax} packets`);
}
