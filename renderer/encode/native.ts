/**
 * The native encoder, FFmpeg: H.264 High, yuv420p, bt709, AAC, index at the front.
 *
 * Encoding runs on other threads while the next frame is being drawn, one ahead and no more, so
 * memory does not grow with the length of the clip.
 */
import type { Encoder as AvEncoder, FilterAPI, Muxer } from 'node-av/api';
import type { Frame, Packet } from 'node-av/lib';
import { checkWritten } from './boxes.ts';
import { audioBitsPerSecond, type Encoder, type EncoderOptions, groupSeconds } from './encoder.ts';

/** Fixed, because the number of threads changes the bits x264 writes. */
const threads = 2;
/** From 0 (nothing lost) to 51; the frames between come out at about 23. */
const endsQuantizer = 16;
/** Frames that were given, or are handed out, must come back as they were. */
const endsOf = (frames: number): string =>
  `zones=0,0,q=${endsQuantizer}/${frames - 1},${frames - 1},q=${endsQuantizer}`;
/**
 * What x264 plans ahead for macroblocks differs from run to run in the lowest row of a frame where
 * it uses AVX-512: about one clip in 200 on a busy machine. Our pictures gain nothing by it.
 */
const steadyBits = 'no-mbtree=1:';

/** Without the matrix named here colors shift; without the range, black is shown as grey. */
const toVideoColors =
  'scale=out_color_matrix=bt709:out_range=tv:flags=area,format=yuv420p,setsar=1,' +
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

/** Why it cannot be used here: it does not load, or lacks H.264 or AAC. Null when it can. */
export async function whyNotNative(): Promise<string | null> {
  try {
    const { Codec, constants } = await load();
    const missing = [constants.FF_ENCODER_LIBX264, constants.FF_ENCODER_AAC].filter(
      (name) => !Codec.findEncoderByName(name),
    );
    return missing.length === 0 ? null : `it lacks ${missing.join(' and ')}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function openNative(options: EncoderOptions): Promise<Encoder> {
  const av = await load();
  av.Log.setLevel(av.constants.AV_LOG_ERROR);
  const muxer = await av.Muxer.open(options.file, {
    format: 'mp4',
    options: { movflags: '+faststart', fflags: '+bitexact' },
    // A failure of its own queue would meet nobody, and end the process.
    useAsyncWrite: false,
  });
  const sink = sinkOf(muxer);
  const video = await openVideo(av, sink, options);
  const audio = options.sampleRate === null ? null : await openAudio(av, sink);
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
      // The library keeps a failure to write the index to itself.
      await checkWritten(options.file);
    },
  };
}

/**
 * A frame and the memory it shows. Despite its documentation the library does not copy what it is
 * given: a frame is good only for as long as somebody holds on to these bytes.
 */
type Raw = { readonly frame: Frame; readonly bytes: Buffer };

/** Where the packets of all streams go; a stream ends with null. */
type Sink = {
  addStream(encoder: AvEncoder): (packet: Packet | null) => Promise<void>;
};

/** One packet at a time, whoever brings it: the library does not look after that. */
function sinkOf(muxer: Muxer): Sink {
  let last: Promise<void> = Promise.resolve();
  return {
    addStream(encoder) {
      const stream = muxer.addStream(encoder);
      return (packet) => {
        const written = last.then(() => muxer.writePacket(packet, stream));
        last = written.catch(() => {});
        return written;
      };
    },
  };
}

/** One stream of the file: raw frames in, packets written. */
type Track = { send(raw: Raw): Promise<void>; finish(): Promise<void> };

function trackOf(sink: Sink, encoder: AvEncoder, filter: FilterAPI): Track {
  const writePacket = sink.addStream(encoder);
  const write = async (packets: readonly Packet[]): Promise<void> => {
    for (const packet of packets) {
      await writePacket(packet);
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
    // All three hold some back until they are told that nothing follows.
    async finish() {
      await encode(await filter.processAll(null));
      await write(await encoder.encodeAll(null));
      await writePacket(null);
    },
  };
}

async function openVideo(av: Av, sink: Sink, options: EncoderOptions): Promise<Track> {
  const { framesPerSecond, frames } = options;
  const encoder = await av.Encoder.create(av.constants.FF_ENCODER_LIBX264, {
    context: { gopSize: framesPerSecond * groupSeconds, threadCount: threads },
    options: {
      preset: 'veryfast',
      profile: 'high',
      crf: 20,
      'x264-params': steadyBits + endsOf(frames),
      flags: '+bitexact',
      colorspace: 'bt709',
      color_primaries: 'bt709',
      color_trc: 'bt709',
      color_range: 'tv',
    },
  });
  const filter = av.FilterAPI.create(toVideoColors, {
    framerate: { num: framesPerSecond, den: 1 },
    graph: { nbThreads: 1 },
  });
  return trackOf(sink, encoder, filter);
}

/** FFmpeg's own AAC: the other one in the package is not free to hand on. */
async function openAudio(av: Av, sink: Sink): Promise<Track> {
  const encoder = await av.Encoder.create(av.constants.FF_ENCODER_AAC, {
    context: { bitRate: audioBitsPerSecond },
    options: { flags: '+bitexact' },
  });
  return trackOf(sink, encoder, av.FilterAPI.create(toCodecSamples));
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
