/**
 * The encoder for platforms without native code: minih264 and FFmpeg's AAC as WebAssembly, muxed by
 * mediabunny. Constrained baseline instead of High; everything else is the same.
 */
import { randomUUID } from 'node:crypto';
import { createCanvas, ImageData } from '@napi-rs/canvas';
import type { EncodedPacket } from 'mediabunny';
import { enlargedCanvas } from '../image.ts';
import type { Size } from '../size.ts';
import { joinSamples } from '../sound/sound.ts';
import {
  audioBitsPerSecond,
  checkWritten,
  type Encoder,
  type EncoderOptions,
  groupSeconds,
} from './encoder.ts';
import { createOverlay } from './overlay.ts';
import { completed } from './parameter-set.ts';
import { planesIn, planesLength, toPlanes } from './planes.ts';

/** From 10 (best) to 51. Fixed, for the same quality in every frame. */
const quantizer = 23;
/** From 0 (best) to 10 (fastest). */
const speed = 9;

/** Samples per channel of an AAC frame. */
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
    addFrame: async (rgba, opacities) => video.add(rgba, opacities),
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
 * AAC adds one frame of silence at the start and pads the last frame. Dropping the first frame of
 * samples and the incomplete last one keeps audio in sync and no longer than the video.
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
      const values = waiting ? joinSamples([waiting, samples]) : samples.subarray(aacFrame * 2);
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

/** minih264 writes an MP4 in memory; its packets are extracted at the end. */
async function openVideo(media: Media, options: EncoderOptions) {
  const { size, drawn, framesPerSecond } = options;
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
  const overlay = createOverlay(options.marks);
  const enlarge = createEnlarger(drawn, size);

  return {
    add(rgba: Buffer, opacities: readonly number[]): void {
      toPlanes(enlarge(rgba), size, planes);
      overlay(planesIn(planes, size), opacities);
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

function createEnlarger(drawn: Size, size: Size): (rgba: Buffer) => Buffer {
  if (drawn.width === size.width) return (rgba) => rgba;
  const small = createCanvas(drawn.width, drawn.height);
  const image = new ImageData(drawn.width, drawn.height);
  return (rgba) => {
    image.data.set(rgba);
    small.getContext('2d').putImageData(image, 0, 0);
    return enlargedCanvas(small, size).data();
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

/** Maximum macroblocks per frame and per second; levels are multiplied by ten. */
const levels = [
  { level: 30, blocksMax: 1620, rateMax: 40_500 },
  { level: 31, blocksMax: 3600, rateMax: 108_000 },
  { level: 32, blocksMax: 5120, rateMax: 216_000 },
  { level: 40, blocksMax: 8192, rateMax: 245_760 },
  { level: 42, blocksMax: 8704, rateMax: 522_240 },
  { level: 50, blocksMax: 22_080, rateMax: 589_824 },
  { level: 51, blocksMax: 36_864, rateMax: 983_040 },
  { level: 52, blocksMax: 36_864, rateMax: 2_073_600 },
] as const;

/** The highest level that common players support. */
const levelMax = 52;

/** The lowest level for this frame size and rate, multiplied by ten. */
export function levelFor({ width, height }: Size, framesPerSecond: number): number {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const fitting = levels.find(
    ({ blocksMax, rateMax }) => blocks <= blocksMax && blocks * framesPerSecond <= rateMax,
  );
  return fitting?.level ?? levelMax;
}
