/**
 * How long FFmpeg shows a file, by the timestamps of its packets: from the first of any stream to
 * the last end, as `server/materials` measures it. Decodes nothing.
 */
import { openContainer, UnusableVideo } from './container.ts';

/** Including audio and subtitles. A video of 30 s has a tenth of it. */
const packetsMax = 100_000;
/** Packets before 0 are for decoders. More of them than encoders need count. */
const primingSeconds = 0.25;

/** Throws `UnusableVideo` if that cannot be found out. */
export async function longestSeconds(file: string): Promise<number> {
  const options = { onlyVideo: false, isBlocking: true, anyCodec: true };
  await using container = await openContainer(file, options);
  const { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD } = container.av.constants;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let packets = 0; packets < packetsMax; packets += 1) {
    using packet = await container.read();
    if (!packet && last > first) return last - first;
    if (!packet) throw new UnusableVideo('it has no packets');
    const shown = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
    // What is before the start of an edit list is decoded but not shown.
    if (shown === AV_NOPTS_VALUE || packet.hasFlags(AV_PKT_FLAG_DISCARD)) continue;
    const at = container.secondsOf(shown, packet.streamIndex);
    first = Math.min(first, at < -primingSeconds ? at : Math.max(0, at));
    last = Math.max(last, at + container.secondsOf(packet.duration, packet.streamIndex));
  }
  throw new UnusableVideo(`it has more than ${packetsMax} packets`);
}
