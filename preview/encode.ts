/**
 * Frames and samples in, an MP4 out: H.264 High, yuv420p, bt709, AAC, index at the front.
 *
 * Encoding runs on other threads while the next frame is being drawn, one frame ahead and no more,
 * so memory does not grow with the length of the clip.
 */
import type { Encoder as AvEncoder, FilterAPI, Muxer } from 'node-av/api';
import type { Frame, Packet } from 'node-av/lib';
import type { Size } from './size.ts';

export type Encoder = {
  /** The pixels, RGBA, must not change any more. Resolves when the frame before is encoded. */
  addFrame(rgba: Buffer): Promise<void>;
  /** Interleaved stereo samples from -1 to 1. Add those of a second before its frames. */
  addAudio(samples: Float32Array): Promise<void>;
  close(): Promise<void>;
};

export type EncoderOptions = {
  readonly file: string;
  readonly size: Size;
  readonly framesPerSecond: number;
  /** Samples a second of the sound track, null for a silent file. */
  readonly sampleRate: number | null;
};

/** Fixed, because the number of threads changes the bits x264 writes. */
const threads = 2;

/** Without the matrix named here colours shift; without the range, black is shown as grey. */
const toVideoColours =
  'scale=out_color_matrix=bt709:out_range=tv:flags=bilinear+accurate_rnd,format=yuv420p,' +
  'setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv';

/** AAC takes planar samples, 1,024 at a time. */
const toCodecSamples = 'aformat=sample_fmts=fltp:channel_layouts=stereo,asetnsamples=n=1024:p=0';

/** Loads the encoder's native code; throws where this platform has none. */
const load = async () => ({
  ...(await import('node-av/api')),
  ...(await import('node-av/lib')),
  constants: await import('node-av/constants'),
});
type Av = Awaited<ReturnType<typeof load>>;

export async function openEncoder(options: EncoderOptions): Promise<Encoder> {
  const av = await load();
  av.Log.setLevel(av.constants.AV_LOG_ERROR);
  const muxer = await av.Muxer.open(options.file, {
    format: 'mp4',
    options: { movflags: '+faststart', fflags: '+bitexact' },
  });
  const video = await openVideo(av, muxer, options.framesPerSecond);
  const audio = options.sampleRate === null ? null : await openAudio(av, muxer);
  const toFrame = framer(av, options);
  const toSound = sounder(av, options.sampleRate ?? 0);
  let underWay: Promise<void> = Promise.resolve();

  return {
    async addFrame(rgba) {
      await underWay;
      underWay = video.send(toFrame(rgba));
      // The failure is met at the next await; until then it must not count as unhandled.
      underWay.catch(() => {});
    },
    async addAudio(samples) {
      await audio?.send(toSound(samples));
    },
    async close() {
      await underWay;
      await video.finish();
      await audio?.finish();
      await muxer.close();
    },
  };
}

/**
 * A frame and the memory it shows. Despite its documentation the library does not copy what it is
 * given: a frame is good only for as long as somebody holds on to these bytes.
 */
type Raw = { readonly frame: Frame; readonly bytes: Buffer };

/** One stream of the file: raw frames in, packets written. */
type Track = { send(raw: Raw): Promise<void>; finish(): Promise<void> };

function trackOf(muxer: Muxer, encoder: AvEncoder, filter: FilterAPI): Track {
  const stream = muxer.addStream(encoder);
  const write = async (packets: readonly Packet[]): Promise<void> => {
    for (const packet of packets) {
      await muxer.writePacket(packet, stream);
      packet.free();
    }
  };
  const encode = async (frames: readonly Frame[]): Promise<void> => {
    for (const frame of frames) {
      await write(await encoder.encodeAll(frame));
      frame.free();
    }
  };
  const held = new Set<Buffer>();
  return {
    async send({ frame, bytes }) {
      held.add(bytes);
      const filtered = await filter.processAll(frame);
      frame.free();
      held.delete(bytes);
      await encode(filtered);
    },
    // Both hold some back until they are told that nothing follows.
    async finish() {
      await encode(await filter.processAll(null));
      await write(await encoder.encodeAll(null));
    },
  };
}

async function openVideo(av: Av, muxer: Muxer, framesPerSecond: number): Promise<Track> {
  const encoder = await av.Encoder.create(av.constants.FF_ENCODER_LIBX264, {
    context: { gopSize: framesPerSecond * 2, threadCount: threads },
    options: {
      preset: 'veryfast',
      profile: 'high',
      crf: 20,
      flags: '+bitexact',
      colorspace: 'bt709',
      color_primaries: 'bt709',
      color_trc: 'bt709',
      color_range: 'tv',
    },
  });
  const framerate = { num: framesPerSecond, den: 1 };
  return trackOf(muxer, encoder, av.FilterAPI.create(toVideoColours, { framerate }));
}

/** FFmpeg's own AAC: the other one in the package is not free to hand on. */
async function openAudio(av: Av, muxer: Muxer): Promise<Track> {
  const encoder = await av.Encoder.create(av.constants.FF_ENCODER_AAC, {
    context: { bitRate: '160k' },
    options: { flags: '+bitexact' },
  });
  return trackOf(muxer, encoder, av.FilterAPI.create(toCodecSamples));
}

function framer({ Frame, constants }: Av, { size, framesPerSecond }: EncoderOptions) {
  let added = 0;
  return (bytes: Buffer): Raw => {
    const frame = Frame.fromVideoBuffer(bytes, {
      ...size,
      format: constants.AV_PIX_FMT_RGBA,
      timeBase: { num: 1, den: framesPerSecond },
      pts: BigInt(added),
    });
    frame.duration = 1n;
    added += 1;
    return { frame, bytes };
  };
}

function sounder({ Frame, constants }: Av, sampleRate: number) {
  let added = 0;
  return (samples: Float32Array): Raw => {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    const frame = Frame.fromAudioBuffer(bytes, {
      nbSamples: samples.length / 2,
      format: constants.AV_SAMPLE_FMT_FLT,
      sampleRate,
      channelLayout: constants.AV_CHANNEL_LAYOUT_STEREO,
      timeBase: { num: 1, den: sampleRate },
      pts: BigInt(added),
    });
    added += samples.length / 2;
    return { frame, bytes };
  };
}

/** Throws, saying why, where the encoder cannot be loaded or lacks H.264 or AAC. */
export async function checkEncoder(): Promise<void> {
  const { Codec, constants } = await load();
  for (const name of [constants.FF_ENCODER_LIBX264, constants.FF_ENCODER_AAC]) {
    if (!Codec.findEncoderByName(name)) throw new Error(`the encoder ${name} is missing`);
  }
}
