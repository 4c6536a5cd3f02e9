/**
 * A video file from anywhere, opened with care: only the four kinds the service takes, only from
 * this machine, only codecs of ordinary videos. Nothing is decoded here; packets are handed on.
 */
import { open } from 'node:fs/promises';
import type { Demuxer } from 'node-av/api';
import type { Packet, Stream } from 'node-av/lib';

/** A file that is not the video it should be; the task fails with `material_unavailable`. */
export class UnusableVideo extends Error {}

export const damaged = (): UnusableVideo => new UnusableVideo('the video is damaged');

/** Loads the native code; throws where this platform has none. */
const load = async () => ({
  ...(await import('node-av/api')),
  ...(await import('node-av/lib')),
  constants: await import('node-av/constants'),
});
export type Av = Awaited<ReturnType<typeof load>>;

export type Container = AsyncDisposable & {
  readonly av: Av;
  /** The stream of the picture. */
  readonly stream: Stream;
  /** How long the file says its picture, or else all of it, is; 0 where it says nothing. */
  readonly claimed: { readonly pictureSeconds: number; readonly fileSeconds: number };
  /** The time of a packet's stream in seconds. */
  secondsOf(ticks: bigint, streamIndex: number): number;
  /** The next packet, to be freed by its reader; null at the end. */
  read(): Promise<Packet | null>;
  /** Goes to the last place before the given second from which pictures can be decoded. */
  seek(second: number): Promise<boolean>;
};

/** What phones, cameras and editors write; FFmpeg reads hundreds more, of every age and quality. */
const codecs = new Set([
  ...['h264', 'hevc', 'av1', 'vp8', 'vp9', 'mpeg4', 'mpeg2video', 'mpeg1video', 'h263'],
  ...['prores', 'dnxhd', 'mjpeg', 'theora', 'dvvideo'],
]);
/** A file that names others, or an address, must not be followed. */
const openOptions = {
  protocol_whitelist: 'file',
  format_whitelist: 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm',
  max_streams: 64,
};

/** With `onlyPicture`, packets of sound and the like are not read at all. */
export async function openContainer(
  file: string,
  options: { readonly onlyPicture: boolean },
): Promise<Container> {
  if (!(await isVideoFile(file))) {
    throw new UnusableVideo('not an MP4, MOV, WebM or MKV video');
  }
  const av = await load();
  av.Log.setLevel(av.constants.AV_LOG_QUIET);
  // What the file says of its streams is enough; looking closer would decode before we have bounds.
  const opening = av.Demuxer.open(file, { options: openOptions, skipStreamInfo: true });
  const demuxer = await opening.catch(() => Promise.reject(damaged()));
  try {
    const stream = pictureStream(av, demuxer);
    for (const other of options.onlyPicture ? demuxer.streams : []) {
      if (other.index !== stream.index) other.discard = av.constants.AVDISCARD_ALL;
    }
    return containerOf(av, demuxer, stream);
  } catch (error) {
    await demuxer.close();
    throw error;
  }
}

/** By its first bytes, so that FFmpeg is never asked to guess: boxes of MP4 and MOV, or EBML. */
async function isVideoFile(file: string): Promise<boolean> {
  await using handle = await open(file);
  const head = Buffer.alloc(12);
  await handle.read(head, 0, head.length, 0);
  const box = head.toString('latin1', 4, 8);
  const isMatroska = head.readUInt32BE(0) === 0x1a45dfa3;
  return isMatroska || ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].includes(box);
}

function pictureStream(av: Av, demuxer: Demuxer): Stream {
  const { AVMEDIA_TYPE_VIDEO, AV_DISPOSITION_ATTACHED_PIC } = av.constants;
  const stream = demuxer.streams.find(
    (each) =>
      each.codecpar.codecType === AVMEDIA_TYPE_VIDEO &&
      // The cover of a song is no video.
      !each.hasDisposition(AV_DISPOSITION_ATTACHED_PIC),
  );
  if (!stream) throw new UnusableVideo('there is no picture in it, only sound or nothing');
  const codec = av.avGetCodecName(stream.codecpar.codecId) ?? 'none';
  if (codec === 'none') throw damaged();
  if (!codecs.has(codec)) throw new UnusableVideo(`videos of the codec ${codec} are not read`);
  return stream;
}

function containerOf(av: Av, demuxer: Demuxer, stream: Stream): Container {
  const format = demuxer.getFormatContext();
  const ticksPerSecond = demuxer.streams.map(({ timeBase }) => timeBase.den / timeBase.num);
  const secondsOf = (ticks: bigint, streamIndex: number): number =>
    Number(ticks) / ticksPerSecond[streamIndex]!;
  return {
    av,
    stream,
    secondsOf,
    claimed: {
      pictureSeconds: Math.max(0, secondsOf(stream.duration, stream.index)),
      fileSeconds: demuxer.duration,
    },
    // The library's own reader waits for a slow one by spinning; this one is asked.
    async read() {
      const packet = new av.Packet();
      packet.alloc();
      if ((await format.readFrame(packet)) >= 0) return packet;
      packet.free();
      return null;
    },
    async seek(second) {
      const at = BigInt(Math.floor(second * ticksPerSecond[stream.index]!));
      return (await format.seekFrame(stream.index, at, av.constants.AVSEEK_FLAG_BACKWARD)) >= 0;
    },
    [Symbol.asyncDispose]: () => demuxer.close(),
  };
}
