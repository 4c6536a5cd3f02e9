/** The exact length of an untrusted audio file, from its packets: a header can be wrong. */
import { loadAv } from '../node-av.ts';
import { openAudioInput, secondsAt, UnusableAudio } from './audio-input.ts';

/** More packets per second than any codec writes. */
const packetsPerSecondMax = 4_000;

/**
 * Reads packets without decoding them and stops soon after `secondsMax`. Returns 0 when the file
 * has no audio. Throws `UnusableAudio` when it cannot be opened.
 */
export async function measureAudioSeconds(
  file: string,
  { secondsMax }: { readonly secondsMax: number },
): Promise<number> {
  const av = await loadAv();
  av.Log.setLevel(av.constants.AV_LOG_FATAL);
  const input = await openAudioInput(av, file);
  if (input === null) return 0;
  const { format, stream } = input;
  const packet = new av.Packet();
  packet.alloc();
  try {
    let seconds = 0;
    for (let packets = 0; seconds <= secondsMax; packets += 1) {
      if (packets > packetsPerSecondMax * (secondsMax + 1)) {
        throw new UnusableAudio('it has more packets than its audio needs');
      }
      if ((await format.readFrame(packet)) < 0) break;
      if (packet.streamIndex === stream.index) {
        seconds += Math.max(0, secondsAt(av, stream, packet.duration) ?? 0);
      }
      packet.unref();
    }
    return seconds;
  } finally {
    packet.free();
    await input.close();
  }
}
