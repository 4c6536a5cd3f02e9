/**
 * Opens an untrusted video file: only the four supported formats, only local files, only common
 * codecs. Returns packets; nothing is decoded here.
 */
import { open } from 'node:fs/promises';
import type { Demuxer } from 'node-av/api';
import type { Packet, Stream } from 'node-av/lib';
import { type Av, loadAv, mp4Boxes } from '../node-av.ts';

/** A file that cannot be used as a video; the task fails with `material_unavailable`. */
export class UnusableVideo extends Error {}

export const damaged = (): UnusableVideo => new UnusableVideo('the video is damaged');

export type Container = AsyncDisposable & {
  readonly av: Av;
  readonly stream: Stream;
  /** Lengths in the header, of the video stream and of the file; 0 when missing. */
  readonly header: { readonly videoSeconds: number; readonly fileSeconds: number };
  secondsOf(ticks: bigint, streamIndex: number): number;
  /** The next packet, to be freed by the caller; null at the end. */
  read(): Promise<Packet | null>;
  /** Seeks to the last key frame before the given second. */
  seek(second: number): Promise<boolean>;
};

/** What phones, cameras and editors write. FFmpeg has hundreds more decoders of lower quality. */
const codecs = new Set([
  ...['h264', 'hevc', 'av1', 'vp8', 'vp9', 'mpeg4', 'mpeg2video', 'mpeg1video', 'h263'],
  ...['prores', 'dnxhd', 'mjpeg', 'theora', 'dvvideo'],
]);
/** A file must not make FFmpeg open other files or URLs. */
const openOptions = {
  protocol_whitelist: 'file',
  format_whitelist: 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm',
  max_streams: 64,
};

/**
 * Opens a file, or bytes in memory. With `onlyVideo`, packets of other streams are not read at all.
 */
export async function openContainer(
  input: string | Buffer,
  options: { readonly onlyVideo: boolean },
): Promise<Container> {
  if (!isVideo(await headOf(input))) {
    throw new UnusableVideo('not an MP4, MOV, WebM or MKV video');
  }
  const av = await loadAv();
  av.Log.setLevel(av.constants.AV_LOG_QUIET);
  // Reading stream info would decode frames before their size is checked.
  const opening = av.Demuxer.open(input, { options: openOptions, skipStreamInfo: true });
  const demuxer = await opening.catch(() => Promise.reject(damaged()));
  try {
    const stream = videoStream(av, demuxer);
    for (const other of options.onlyVideo ? demuxer.streams : []) {
      if (other.index !== stream.index) other.discard = av.constants.AVDISCARD_ALL;
    }
    return containerOf(av, demuxer, stream);
  } catch (error) {
    await demuxer.close();
    throw error;
  }
}

async function headOf(input: string | Buffer): Promise<Buffer> {
  const head = Buffer.alloc(12);
  if (typeof input !== 'string') {
    input.copy(head);
    return head;
  }
  await using handle = await open(input);
  await handle.read(head, 0, head.length, 0);
  return head;
}

/** Checks the first bytes, so that FFmpeg never probes a file of unknown type. */
function isVideo(head: Buffer): boolean {
  const box = head.toString('latin1', 4, 8);
  const isMatroska = head.readUInt32BE(0) === 0x1a45dfa3;
  return isMatroska || mp4Boxes.includes(box);
}

function videoStream(av: Av, demuxer: Demuxer): Stream {
  const { AVMEDIA_TYPE_VIDEO, AV_DISPOSITION_ATTACHED_PIC } = av.constants;
  const stream = demuxer.streams.find(
    (each) =>
      each.codecpar.codecType === AVMEDIA_TYPE_VIDEO &&
      // The cover image of a song is not a video.
      !each.hasDisposition(AV_DISPOSITION_ATTACHED_PIC),
  );
  if (!stream) throw new UnusableVideo('it has no video stream');
  const codec = av.avGetCodecName(stream.codecpar.codecId) ?? 'none';
  if (codec === 'none') throw damaged();
  if (!codecs.has(codec)) throw new UnusableVideo(`video codec ${codec} is not supported`);
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
    header: {
      videoSeconds: Math.max(0, secondsOf(stream.duration, stream.index)),
      fileSeconds: demuxer.duration,
    },
    // The library's own packet generator busy-waits for a slow consumer.
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
