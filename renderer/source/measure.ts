/**
 * How long a video really is: not by its header, which may say anything, but by the time stamps of
 * what the file holds. Every packet is looked at and none is decoded.
 */
import { type Container, damaged, UnusableVideo } from './container.ts';

export type Measure = {
  /** When its first picture is shown, in the time of the file. */
  readonly startsAt: number;
  /** From the first picture to the end of the last. */
  readonly seconds: number;
};

/** Spec 4.3.4: a video has 30 s at the most. One more is what rounding and a last frame may add. */
const secondsMax = 31;
/** Two frames: what lasts less is no video. */
const secondsMin = 1 / 12;
/** As many pictures as the longest video has at 240 a second, the most that cameras take. */
const picturesMax = secondsMax * 240;
/** With all that may stand between the pictures: sound, subtitles. */
const packetsMax = 100_000;
/** By how much less there may be than is claimed: many leave out the length of the last frame. */
const slackSeconds = 0.5;

export async function measure(container: Container): Promise<Measure> {
  const { claimed } = container;
  const { picture, endsAt } = await readAll(container);
  if (picture.count === 0) throw damaged();
  // Where the last picture does not say how long it is shown, it is as long as the others.
  const usual = (picture.last - picture.startsAt) / Math.max(1, picture.count - 1);
  const found = picture.last + (picture.lastSeconds || usual) - picture.startsAt;
  const missing =
    claimed.pictureSeconds > 0 ? claimed.pictureSeconds - found : claimed.fileSeconds - endsAt;
  if (missing > slackSeconds) throw damaged();
  // Lengths of single packets follow the order of decoding: the sum in the header is closer.
  const isExact = claimed.pictureSeconds > 0 && Math.abs(missing) <= slackSeconds;
  const seconds = isExact ? claimed.pictureSeconds : found;
  if (!(seconds <= secondsMax)) {
    throw new UnusableVideo(`it is ${seconds.toFixed(1)} s long; a video has at most 30 s`);
  }
  if (!(seconds >= secondsMin)) {
    throw new UnusableVideo(`it is ${seconds.toFixed(2)} s long; that is too short to be seen`);
  }
  return { startsAt: picture.startsAt, seconds };
}

type Extent = {
  readonly count: number;
  readonly startsAt: number;
  /** When the last picture is shown, and for how long, where it says so. */
  readonly last: number;
  readonly lastSeconds: number;
};

async function readAll(container: Container): Promise<{ picture: Extent; endsAt: number }> {
  const { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD } = container.av.constants;
  const picture = { count: 0, startsAt: Infinity, last: -Infinity, lastSeconds: 0 };
  let endsAt = 0;
  for (let packets = 0; packets < packetsMax; packets += 1) {
    using packet = await container.read();
    if (!packet) return { picture, endsAt };
    const { streamIndex } = packet;
    const shown = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
    // Before the beginning that an edit of the file has set: decoded, but not shown.
    if (shown === AV_NOPTS_VALUE || packet.hasFlags(AV_PKT_FLAG_DISCARD)) continue;
    const at = container.secondsOf(shown, streamIndex);
    const lasting = container.secondsOf(packet.duration, streamIndex);
    endsAt = Math.max(endsAt, at + lasting);
    if (streamIndex !== container.stream.index) continue;
    picture.count += 1;
    picture.startsAt = Math.min(picture.startsAt, at);
    if (at >= picture.last) {
      picture.last = at;
      picture.lastSeconds = lasting;
    }
    if (picture.count > picturesMax) break;
  }
  throw new UnusableVideo(`it has more than ${picturesMax} pictures; too many for 30 s`);
}
