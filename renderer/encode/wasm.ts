/**
 * The encoder for platforms without the native one: minih264 and FFmpeg's AAC, both WebAssembly,
 * put into an MP4 by mediabunny. Constrained baseline instead of High; all else is the same.
 */
import { randomUUID } from 'node:crypto';
import type { EncodedPacket } from 'mediabunny';
import { checkWritten } from './boxes.ts';
import { audioBitsPerSecond, type Encoder, type EncoderOptions, groupSeconds } from './encoder.ts';
import { levelFor } from './level.ts';
import { completed } from './parameter-set.ts';
import { planesLength, toPlanes } from './planes.ts';

/** From 10 (best) to 51. Fixed, so that a quiet picture is as clean as a busy one. */
const quantizer = 23;
/** From 0 (best) to 10 (fastest). */
const speed = 9;

/** Samples of each channel that AAC takes at a time. */
const aacFrame = 1024;

const load = async () => ({
  ...(await import('mediabunny')),
  ...(await import('@mediabunny/aac-encoder')),
});
type Media = Awaited<ReturnType<typeof load>>;

export async function openWasm(options: EncoderOptions): Promise<Encoder> {
  const media = await load();
  const video = await openVideo(media, options);
  const audio = options.sampleRate === null ? null : openAudio(media, options.sampleRate);
  const output = new media.Output({
    format: new media.Mp4OutputFormat({ fastStart: 'in-memory' }),
    target: new media.FilePathTarget(options.file),
  });
  const pictures = new media.EncodedVideoPacketSource('avc');
  output.addVideoTrack(pictures, { frameRate: options.framesPerSecond });
  if (audio) output.addAudioTrack(audio.source);
  await output.start();

  return {
    addFrame: async (rgba) => video.add(rgba),
    addAudio: async (samples) => await audio?.add(samples),
    async close() {
      const { packets, decoderConfig } = await video.finish();
      for (const packet of packets) await pictures.add(packet, { decoderConfig });
      await output.finalize();
      await checkWritten(options.file);
    },
  };
}

/**
 * AAC begins with a frame of silence and ends with a whole one. Leaving out what that silence would
 * delay, and the rest at the end, the sound is in time and no longer than the picture.
 */
function openAudio({ AudioSample, AudioSampleSource, registerAacEncoder }: Media, rate: number) {
  registerAacEncoder();
  const source = new AudioSampleSource({ codec: 'aac', bitrate: audioBitsPerSecond });
  const format = { format: 'f32', numberOfChannels: 2, sampleRate: rate } as const;
  let waiting: Float32Array | null = null;
  let added = 0;
  return {
    source,
    async add(samples: Float32Array): Promise<void> {
      const values = waiting ? joined(waiting, samples) : samples.subarray(aacFrame * 2);
      const whole = values.length - (values.length % (aacFrame * 2));
      waiting = values.slice(whole);
      if (whole === 0) return;
      const data = values.subarray(0, whole);
      using sample = new AudioSample({ ...format, data, timestamp: added / rate });
      added += whole / 2;
      await source.add(sample);
    },
  };
}

function joined(one: Float32Array, other: Float32Array): Float32Array {
  const both = new Float32Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** minih264 writes a file of its own, in memory; its packets are taken out of it at the end. */
async function openVideo(media: Media, { size, framesPerSecond }: EncoderOptions) {
  const { default: minih264 } = await import('h264-mp4-encoder');
  const encoder = await minih264.createH264MP4Encoder();
  Object.assign(encoder, {
    ...size,
    speed,
    frameRate: framesPerSecond,
    quantizationParameter: quantizer,
    groupOfPictures: framesPerSecond * groupSeconds,
    outputFilename: randomUUID(),
  });
  encoder.initialize();
  const planes = new Uint8Array(planesLength(size));

  return {
    add(rgba: Buffer): void {
      toPlanes(rgba, size, planes);
      encoder.addFrameYuv(planes);
    },
    async finish() {
      encoder.finalize();
      const file = encoder.FS.readFile(encoder.outputFilename);
      encoder.FS.unlink(encoder.outputFilename);
      encoder.delete();
      return await readPackets(media, file, { size, framesPerSecond });
    },
  };
}

async function readPackets(
  media: Media,
  file: Uint8Array,
  { size, framesPerSecond }: Pick<EncoderOptions, 'size' | 'framesPerSecond'>,
) {
  const { BufferSource, EncodedPacket, EncodedPacketSink, Input, MP4 } = media;
  const track = await new Input({
    source: new BufferSource(file),
    formats: [MP4],
  }).getPrimaryVideoTrack();
  const described = await track?.getDecoderConfig();
  if (!track || !described?.description) throw new Error('the encoder wrote no video');
  const record = completed(new Uint8Array(described.description as ArrayBuffer), {
    level: levelFor(size, framesPerSecond),
  });
  const packets: EncodedPacket[] = [];
  for await (const { data, type } of new EncodedPacketSink(track).packets()) {
    const timestamp = packets.length / framesPerSecond;
    packets.push(new EncodedPacket(data, type, timestamp, 1 / framesPerSecond));
  }
  return {
    packets,
    decoderConfig: {
      codec: `avc1.${record.toString('hex', 1, 4)}`,
      codedWidth: size.width,
      codedHeight: size.height,
      colorSpace: bt709,
      description: record,
    },
  };
}

const bt709 = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;
