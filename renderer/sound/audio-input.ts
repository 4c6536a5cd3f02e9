/**
 * Opens an untrusted file for its audio. FFmpeg may use only the listed formats, codecs and the
 * file protocol, so a file cannot make it open anything else. Header values are checked before use.
 */
import { open } from 'node:fs/promises';
import type { CodecContext, FormatContext, Stream } from 'node-av/lib';
import { type Av, mp4Boxes } from '../node-av.ts';
import { UnusableMaterial } from '../unusable.ts';
import { sampleRate } from './sound.ts';

/** To FFmpeg, MP4, MOV and M4A are one format, and so are MKV and WebM. */
const formats = 'mov,matroska,mp3,wav,ogg,flac,aac';
/** Magic numbers as Latin-1 text. */
const signatures = ['RIFF', 'RIFX', 'RF64', 'ID3', 'OggS', 'fLaC', '\x1aE\xdf\xa3'];
const codecs = [
  ...['aac', 'mp3float', 'mp3', 'mp2float', 'mp2', 'ac3', 'eac3', 'alac', 'flac', 'opus', 'vorbis'],
  ...['pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le'],
  ...['pcm_s32be', 'pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be', 'pcm_alaw', 'pcm_mulaw'],
  ...['adpcm_ms', 'adpcm_ima_wav', 'adpcm_ima_qt', 'amrnb', 'amrwb', 'dca'],
];

/** Other sample rates are rejected: at 1 Hz, a kilobyte would become gigabytes. */
const sampleRates = { from: 4_000, to: 384_000 };
const channelsMax = 8;

export type AudioInput = NonNullable<Awaited<ReturnType<typeof openAudioInput>>>;

/** Returns null when the file has no audio. Throws `UnusableMaterial` when it cannot be opened. */
export async function openAudioInput(av: Av, file: string) {
  const { constants } = av;
  await checkSignature(file);
  const format = new av.FormatContext();
  try {
    using options = av.Dictionary.fromObject({
      protocol_whitelist: 'file',
      format_whitelist: formats,
      codec_whitelist: codecs.join(','),
      probesize: 1_500_000,
      max_streams: 32,
    });
    check(av, await format.openInput(file, null, options), 'the audio file cannot be read');
    check(av, await format.findStreamInfo(null), 'its streams cannot be read');
    const index = format.findBestStream(constants.AVMEDIA_TYPE_AUDIO);
    const stream = index >= 0 ? format.streams[index] : undefined;
    if (stream === undefined) {
      checkHasNoAudio(av, format);
      await format.closeInput();
      return null;
    }
    /** In seconds of the file's clock; null without a video stream. */
    let videoStartsAt: number | null = null;
    for (const other of format.streams) {
      if (other.index === stream.index) continue;
      const isVideo =
        other.codecpar.codecType === constants.AVMEDIA_TYPE_VIDEO &&
        !other.hasDisposition(constants.AV_DISPOSITION_ATTACHED_PIC);
      if (isVideo) videoStartsAt ??= secondsAt(av, other, other.startTime) ?? 0;
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
    return { format, stream, decoder, convert, videoStartsAt, close };
  } catch (error) {
    await format.closeInput();
    throw error;
  }
}

/** A video without audio is valid; no streams, or an unreadable audio stream, is damage. */
function checkHasNoAudio(av: Av, { streams }: FormatContext): void {
  const { AVMEDIA_TYPE_AUDIO } = av.constants;
  const isBroken = streams.some(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  if (streams.length === 0 || isBroken) throw new UnusableMaterial('its audio cannot be read');
}

/** FFmpeg never probes a file of unknown type, such as a web page or a playlist. */
async function checkSignature(file: string): Promise<void> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(12), 0, 12, 0);
  const head = buffer.toString('latin1');
  const isMpegFrame = buffer[0] === 0xff && buffer[1]! >= 0xe0;
  const isKnown = signatures.some((signature) => head.startsWith(signature));
  if (isMpegFrame || isKnown || mp4Boxes.includes(head.slice(4, 8))) return;
  throw new UnusableMaterial('not an MP3, WAV, M4A, AAC, OGG or FLAC file, and not a video');
}

async function openDecoder(av: Av, stream: Stream): Promise<CodecContext> {
  const { codecpar } = stream;
  checkSampleFormat({ rate: codecpar.sampleRate, channels: codecpar.channels });
  const codec = av.Codec.findDecoder(codecpar.codecId);
  if (!codec?.name || !codecs.includes(codec.name)) {
    throw new UnusableMaterial(`audio codec ${codec?.name ?? 'unknown'} is not supported`);
  }
  const decoder = new av.CodecContext();
  decoder.allocContext3(codec);
  check(av, decoder.parametersToContext(codecpar), 'its audio cannot be decoded');
  decoder.pktTimebase = stream.timeBase;
  decoder.threadCount = 1;
  check(av, await decoder.open2(codec, null), 'its audio cannot be decoded');
  return decoder;
}

/** Checked for the header and for every frame, since they may differ. */
export function checkSampleFormat({ rate, channels }: { rate: number; channels: number }): void {
  if (rate < sampleRates.from || rate > sampleRates.to) {
    throw new UnusableMaterial(`a sample rate of ${rate} Hz is not supported`);
  }
  if (channels < 1 || channels > channelsMax) {
    throw new UnusableMaterial(`${channels} audio channels are not supported`);
  }
}

function check(av: Av, code: number, problem: string): void {
  if (code < 0) throw new UnusableMaterial(`${problem} (${av.FFmpegError.strerror(code)})`);
}

export const secondsAt = (av: Av, { timeBase }: Stream, time: bigint): number | null =>
  time === av.constants.AV_NOPTS_VALUE ? null : (Number(time) * timeBase.num) / timeBase.den;

/** The length in the header; null when it has none. */
export function headerSeconds(av: Av, { format, stream }: AudioInput): number | null {
  const whole = format.duration === av.constants.AV_NOPTS_VALUE ? 0 : Number(format.duration) / 1e6;
  const seconds = secondsAt(av, stream, stream.duration) ?? whole;
  return seconds > 0 ? seconds : null;
}

/** Whether the header stores the length; for other formats it is estimated from the size. */
export const isHeaderExact = ({ format }: AudioInput): boolean =>
  /^(mov|flac)/.test(format.iformat?.name ?? '');
