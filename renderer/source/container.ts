/**
 * Opens an untrusted video file: only the four supported formats, only local files, only common
 * codecs. Returns packets; nothing is decoded here.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Demuxer } from 'node-av/api';
import type { Packet, Stream } from 'node-av/lib';
import { type Av, loadAv, mp4Boxes } from '../node-av.ts';
import { UnusableMaterial } from '../unusable.ts';

export const damaged = (): UnusableMaterial => new UnusableMaterial('the video is damaged');

export type Container = AsyncDisposable & {
  readonly av: Av;
  readonly stream: Stream;
  readonly isBlocking: boolean;
  /** Lengths in the header, of the video stream and of the file; 0 when missing. */
  readonly header: { readonly videoSeconds: number; readonly fileSeconds: number };
  secondsOf(ticks: bigint, streamIndex: number): number;
  isSound(streamIndex: number): boolean;
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

type OpenOptions = {
  /** Packets of other streams are not read at all. */
  readonly onlyVideo: boolean;
  /**
   * Reads and decodes in the calling thread, which costs half as much for a single frame. For a
   * process that has nothing else to do meanwhile.
   */
  readonly isBlocking?: boolean;
  /** For what is not decoded. */
  readonly anyCodec?: boolean;
};

export async function openContainer(
  file: string,
  { onlyVideo, isBlocking = false, anyCodec = false }: OpenOptions,
): Promise<Container> {
  if (!isVideo(headOf(file))) {
    throw new UnusableMaterial('not an MP4, MOV, WebM or MKV video');
  }
  const av = await loadAv();
  av.Log.setLevel(av.constants.AV_LOG_QUIET);
  // Reading stream info would decode frames before their size is checked.
  const demuxerOptions = { options: openOptions, skipStreamInfo: true };
  const open = async () =>
    isBlocking
      ? av.Demuxer.openSync(file, demuxerOptions)
      : await av.Demuxer.open(file, demuxerOptions);
  const demuxer = await open().catch(() => Promise.reject(damaged()));
  try {
    const stream = videoStream(av, demuxer, { anyCodec });
    for (const other of onlyVideo ? demuxer.streams : []) {
      if (other.index !== stream.index) other.discard = av.constants.AVDISCARD_ALL;
    }
    return containerOf(av, demuxer, { stream, isBlocking });
  } catch (error) {
    await demuxer.close();
    throw error;
  }
}

function headOf(path: string): Buffer {
  const head = Buffer.alloc(12);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return head;
}

/** Checks the first bytes, so that FFmpeg never probes a file of unknown type. */
function isVideo(head: Buffer): boolean {
  const box = head.toString('latin1', 4, 8);
  const isMatroska = head.readUInt32BE(0) === 0x1a45dfa3;
  return isMatroska || mp4Boxes.includes(box);
}

function videoStream(av: Av, demuxer: Demuxer, { anyCodec }: { anyCodec: boolean }): Stream {
  const { AVMEDIA_TYPE_VIDEO, AV_DISPOSITION_ATTACHED_PIC } = av.constants;
  const stream = demuxer.streams.find(
    (each) =>
      each.codecpar.codecType === AVMEDIA_TYPE_VIDEO &&
      // The cover image of a song is not a video.
      !each.hasDisposition(AV_DISPOSITION_ATTACHED_PIC),
  );
  if (!stream) throw new UnusableMaterial('it has no video stream');
  if (anyCodec) return stream;
  const codec = av.avGetCodecName(stream.codecpar.codecId) ?? 'none';
  if (codec === 'none') throw damaged();
  if (!codecs.has(codec)) throw new UnusableMaterial(`video codec ${codec} is not supported`);
  return stream;
}

function containerOf(
  av: Av,
  demuxer: Demuxer,
  { stream, isBlocking }: Pick<Container, 'stream' | 'isBlocking'>,
): Container {
  const format = demuxer.getFormatContext();
  const ticksPerSecond = demuxer.streams.map(({ timeBase }) => timeBase.den / timeBase.num);
  const secondsOf = (ticks: bigint, streamIndex: number): number =>
    Number(ticks) / ticksPerSecond[streamIndex]!;
  return {
    av,
    stream,
    isBlocking,
    secondsOf,
    isSound: (index) =>
      demuxer.streams[index]?.codecpar.codecType === av.constants.AVMEDIA_TYPE_AUDIO,
    header: {
      videoSeconds: Math.max(0, secondsOf(stream.duration, stream.index)),
      fileSeconds: demuxer.duration,
    },
    // The library's own packet generator busy-waits for a slow consumer.
    async read() {
      const packet = new av.Packet();
      packet.alloc();
      const status = isBlocking ? format.readFrameSync(packet) : await format.readFrame(packet);
      if (status >= 0) return packet;
      packet.free();
      return null;
    },
    async seek(second) {
      const at = BigInt(Math.floor(second * ticksPerSecond[stream.index]!));
      const to = [stream.index, at, av.constants.AVSEEK_FLAG_BACKWARD] as const;
      const status = isBlocking ? format.seekFrameSync(...to) : await format.seekFrame(...to);
      return status >= 0;
    },
    [Symbol.asyncDispose]: async () => (isBlocking ? demuxer.closeSync() : await demuxer.close()),
  };
}
