/**
 * A customer's file opened for its sound. FFmpeg is told which formats, codecs and protocols it may
 * use, so that a file can never make it open anything but that file; what a file claims about
 * itself is checked before it costs anything.
 */
import { open } from 'node:fs/promises';
import type { FilterAPI } from 'node-av/api';
import type { CodecContext, FormatContext, Stream } from 'node-av/lib';
import { sampleRate } from './sound.ts';

/** A file whose sound cannot be played: damaged, or not what it pretends to be. */
export class UnusableRecording extends Error {
  override readonly name = 'UnusableRecording';
}

/** MP4, MOV and M4A are one format to FFmpeg, and so are MKV and WebM. */
const formats = 'mov,matroska,mp3,wav,ogg,flac,aac';
/** How they begin, one character a byte; the box of a film stands behind its length. */
const beginnings = ['RIFF', 'RIFX', 'RF64', 'ID3', 'OggS', 'fLaC', '\x1aE\xdf\xa3'];
const boxes = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];
const codecs = [
  ...['aac', 'mp3float', 'mp3', 'mp2float', 'mp2', 'ac3', 'eac3', 'alac', 'flac', 'opus', 'vorbis'],
  ...['pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le'],
  ...['pcm_s32be', 'pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be', 'pcm_alaw', 'pcm_mulaw'],
  ...['adpcm_ms', 'adpcm_ima_wav', 'adpcm_ima_qt', 'amrnb', 'amrwb', 'dca'],
];

/** Outside of these a header lies: a rate of 1 Hz would make gigabytes of a kilobyte. */
const ratesAllowed = { from: 4_000, to: 384_000 };
const channelsMax = 8;

/** Loads the decoder's native code; throws where this platform has none. */
export const load = async () => ({
  ...(await import('node-av/api')),
  ...(await import('node-av/lib')),
  constants: await import('node-av/constants'),
});
export type Av = Awaited<ReturnType<typeof load>>;

export type Source = {
  readonly format: FormatContext;
  readonly stream: Stream;
  readonly decoder: CodecContext;
  readonly convert: FilterAPI;
  /** When the picture begins, in seconds of the file's clock; null where there is none. */
  readonly pictureAt: number | null;
  close(): Promise<void>;
};

/** Null when the file has no sound. */
export async function openSource(av: Av, file: string): Promise<Source | null> {
  const { constants } = av;
  await checkBeginning(file);
  const format = new av.FormatContext();
  try {
    using options = av.Dictionary.fromObject({
      protocol_whitelist: 'file',
      format_whitelist: formats,
      codec_whitelist: codecs.join(','),
      probesize: 1_500_000,
      max_streams: 32,
    });
    must(av, await format.openInput(file, null, options), 'it is no recording that can be read');
    must(av, await format.findStreamInfo(null), 'what it holds cannot be told');
    const index = format.findBestStream(constants.AVMEDIA_TYPE_AUDIO);
    const stream = index >= 0 ? format.streams[index] : undefined;
    if (stream === undefined) {
      checkSilent(av, format);
      await format.closeInput();
      return null;
    }
    let pictureAt: number | null = null;
    for (const other of format.streams) {
      if (other.index === stream.index) continue;
      const isPicture =
        other.codecpar.codecType === constants.AVMEDIA_TYPE_VIDEO &&
        !other.hasDisposition(constants.AV_DISPOSITION_ATTACHED_PIC);
      if (isPicture) pictureAt ??= secondsAt(av, other, other.startTime) ?? 0;
      other.discard = constants.AVDISCARD_ALL;
    }
    const decoder = await openDecoder(av, stream);
    const convert = av.FilterAPI.create(
      `aresample=${sampleRate},aformat=sample_fmts=flt:channel_layouts=stereo|mono`,
    );
    const close = async (): Promise<void> => {
      convert.close();
      decoder.freeContext();
      await format.closeInput();
    };
    return { format, stream, decoder, convert, pictureAt, close };
  } catch (error) {
    await format.closeInput();
    throw error;
  }
}

/** A picture alone is a silent film; nothing at all, or a sound without a shape, is damage. */
function checkSilent(av: Av, { streams }: FormatContext): void {
  const { AVMEDIA_TYPE_AUDIO } = av.constants;
  const isBroken = streams.some(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  if (streams.length === 0 || isBroken) throw new UnusableRecording('its sound cannot be found');
}

/** FFmpeg is never asked to guess what a page or a playlist might be. */
async function checkBeginning(file: string): Promise<void> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(12), 0, 12, 0);
  const head = buffer.toString('latin1');
  const isFrame = buffer[0] === 0xff && buffer[1]! >= 0xe0;
  const isKnown = beginnings.some((start) => head.startsWith(start));
  if (isFrame || isKnown || boxes.includes(head.slice(4, 8))) return;
  throw new UnusableRecording('not an MP3, WAV, M4A, AAC, OGG or FLAC recording, and no video');
}

async function openDecoder(av: Av, stream: Stream): Promise<CodecContext> {
  const { codecpar } = stream;
  checkShape({ rate: codecpar.sampleRate, channels: codecpar.channels });
  const codec = av.Codec.findDecoder(codecpar.codecId);
  if (!codec?.name || !codecs.includes(codec.name)) {
    throw new UnusableRecording(`its sound is coded as ${codec?.name ?? 'nothing known'}`);
  }
  const decoder = new av.CodecContext();
  decoder.allocContext3(codec);
  must(av, decoder.parametersToContext(codecpar), 'its sound cannot be decoded');
  decoder.pktTimebase = stream.timeBase;
  decoder.threadCount = 1;
  must(av, await decoder.open2(codec, null), 'its sound cannot be decoded');
  return decoder;
}

/** Asked of the header, and again of every frame: they may differ. */
export function checkShape({ rate, channels }: { rate: number; channels: number }): void {
  if (rate < ratesAllowed.from || rate > ratesAllowed.to) {
    throw new UnusableRecording(`a sound of ${rate} samples a second cannot be played`);
  }
  if (channels < 1 || channels > channelsMax) {
    throw new UnusableRecording(`a sound of ${channels} channels cannot be played`);
  }
}

function must(av: Av, code: number, problem: string): void {
  if (code < 0) throw new UnusableRecording(`${problem} (${av.FFmpegError.strerror(code)})`);
}

export const secondsAt = (av: Av, { timeBase }: Stream, time: bigint): number | null =>
  time === av.constants.AV_NOPTS_VALUE ? null : (Number(time) * timeBase.num) / timeBase.den;

/** The length as the file tells it, null where it does not. */
export function claimedSeconds(av: Av, { format, stream }: Source): number | null {
  const whole = format.duration === av.constants.AV_NOPTS_VALUE ? 0 : Number(format.duration) / 1e6;
  const claimed = secondsAt(av, stream, stream.duration) ?? whole;
  return claimed > 0 ? claimed : null;
}

/** Whether the length is written in the file, and no estimate from its size. */
export const isClaimExact = ({ format }: Source): boolean =>
  /^(mov|flac)/.test(format.iformat?.name ?? '');
