/** The native encoder, FFmpeg: H.264 High, yuv420p, bt709, AAC, index first. */
import type { Encoder as AvEncoder, FilterAPI, Muxer } from 'node-av/api';
import type { Frame, Packet } from 'node-av/lib';
import { type Av, loadAv } from '../node-av.ts';
import type { Size } from '../size.ts';
import {
  audioBitsPerSecond,
  checkWritten,
  type Encoder,
  type EncoderOptions,
  groupSeconds,
} from './encoder.ts';
import { createOverlay } from './overlay.ts';

/** Fixed, since the number of threads changes the output of x264. */
const threads = 2;
/** From 0 (lossless) to 51; other frames have about 23. */
const endsQuantizer = 16;
/** The first and last frames may be given or returned images, so they are encoded better. */
const endsOf = (frames: number): string =>
  `zones=0,0,q=${endsQuantizer}/${frames - 1},${frames - 1},q=${endsQuantizer}`;
/** With mbtree and AVX-512, about one clip in 200 differs from run to run on a busy machine. */
const deterministic = 'no-mbtree=1:';
/** Drawn pictures have the same quality and size without it, for 9 % less processor time. */
const wholePixelMotion = 'subme=0:';
/** A fixed pattern takes x264 less time than choosing one. Size and quality stay about the same. */
const betweenFrames = 'b-adapt=0:';

/** Without the matrix, colors shift; without the range, black becomes gray. */
const toVideo = ({ width, height }: Size): string =>
  `scale=${width}:${height}:out_color_matrix=bt709:out_range=tv:flags=area,format=yuv420p,` +
  'setsar=1,setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv';

/** AAC takes 1,024 planar samples at a time. */
const toCodecSamples = 'aformat=sample_fmts=fltp:channel_layouts=stereo,asetnsamples=n=1024:p=0';

/** Why native code cannot be used: it does not load, or lacks H.264 or AAC. Null if it can. */
export async function whyNotNative(): Promise<string | null> {
  try {
    const { Codec, constants } = await loadAv();
    const missing = [constants.FF_ENCODER_LIBX264, constants.FF_ENCODER_AAC].filter(
      (name) => !Codec.findEncoderByName(name),
    );
    return missing.length === 0 ? null : `it lacks ${missing.join(' and ')}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function openNative(options: EncoderOptions): Promise<Encoder> {
  const av = await loadAv();
  av.Log.setLevel(av.constants.AV_LOG_ERROR);
  const muxer = await av.Muxer.open(options.file, {
    format: 'mp4',
    options: { movflags: '+faststart', fflags: '+bitexact' },
    // An error in the library's own write queue would be unhandled and end the process.
    useAsyncWrite: false,
  });
  const sink = sinkOf(muxer);
  const video = await openVideo(av, sink, options);
  const audio = options.sampleRate === null ? null : await openAudio(av, sink);
  const toFrame = videoFramer(av, options);
  const toSound = audioFramer(av, options.sampleRate ?? 0);
  const overlay = createOverlay(options.marks);

  return {
    addFrame: async (rgba, opacities) =>
      await video.send(toFrame(rgba), ({ data, linesize }) => {
        const planes = data!.map((values, at) => ({ values, stride: linesize[at]! }));
        overlay(planes, opacities);
      }),
    async addAudio(samples) {
      await audio?.send(toSound(samples));
    },
    async close() {
      await video.finish();
      await audio?.finish();
      await muxer.close();
      // The library does not report an error while writing the index.
      await checkWritten(options.file);
    },
  };
}

/**
 * A frame and its memory. Despite its documentation, the library does not copy the bytes: they must
 * stay referenced as long as the frame is used.
 */
type BackedFrame = { readonly frame: Frame; readonly bytes: Buffer };

/** Receives the packets of all streams; null ends a stream. */
type PacketSink = {
  addStream(encoder: AvEncoder): (packet: Packet | null) => Promise<void>;
};

/** Serializes writes, since the library does not. */
function sinkOf(muxer: Muxer): PacketSink {
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

/** One stream of the file: encodes frames and writes packets. */
type EncoderTrack = {
  send(raw: BackedFrame, retouch?: (filtered: Frame) => void): Promise<void>;
  finish(): Promise<void>;
};

function trackOf(sink: PacketSink, encoder: AvEncoder, filter: FilterAPI): EncoderTrack {
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
  const referenced = new Set<Buffer>();
  // One frame is encoded while the next is filtered.
  let encoding: Promise<void> = Promise.resolve();
  return {
    async send({ frame, bytes }, retouch) {
      referenced.add(bytes);
      const filtered = await filter.processAll(frame);
      frame.free();
      referenced.delete(bytes);
      if (retouch) filtered.forEach(retouch);
      await encoding;
      encoding = encode(filtered);
      // The error is handled at the next await, and must not count as unhandled until then.
      encoding.catch(() => {});
    },
    // Filter, encoder and muxer are flushed in order.
    async finish() {
      await encoding;
      await encode(await filter.processAll(null));
      await write(await encoder.encodeAll(null));
      await writePacket(null);
    },
  };
}

async function openVideo(av: Av, sink: PacketSink, options: EncoderOptions): Promise<EncoderTrack> {
  const { framesPerSecond, frames, size } = options;
  const encoder = await av.Encoder.create(av.constants.FF_ENCODER_LIBX264, {
    context: { gopSize: framesPerSecond * groupSeconds, threadCount: threads },
    options: {
      preset: 'superfast',
      profile: 'high',
      crf: 21.5,
      'x264-params': wholePixelMotion + betweenFrames + deterministic + endsOf(frames),
      flags: '+bitexact',
      colorspace: 'bt709',
      color_primaries: 'bt709',
      color_trc: 'bt709',
      color_range: 'tv',
    },
  });
  const filter = av.FilterAPI.create(toVideo(size), {
    framerate: { num: framesPerSecond, den: 1 },
    graph: { nbThreads: 1 },
  });
  return trackOf(sink, encoder, filter);
}

/** FFmpeg's own AAC encoder; the other one in the package is not freely licensed. */
async function openAudio(av: Av, sink: PacketSink): Promise<EncoderTrack> {
  const encoder = await av.Encoder.create(av.constants.FF_ENCODER_AAC, {
    context: { bitRate: audioBitsPerSecond },
    options: { flags: '+bitexact' },
  });
  return trackOf(sink, encoder, av.FilterAPI.create(toCodecSamples));
}

function videoFramer({ Frame, constants }: Av, { drawn, framesPerSecond }: EncoderOptions) {
  let added = 0;
  return (bytes: Buffer): BackedFrame => {
    const frame = Frame.fromVideoBuffer(bytes, {
      ...drawn,
      format: constants.AV_PIX_FMT_RGBA,
      timeBase: { num: 1, den: framesPerSecond },
      pts: BigInt(added),
    });
    frame.duration = 1n;
    added += 1;
    return { frame, bytes };
  };
}

function audioFramer({ Frame, constants }: Av, sampleRate: number) {
  let added = 0;
  return (samples: Float32Array): BackedFrame => {
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
