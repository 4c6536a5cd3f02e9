/**
 * Makes the poster of a video: one early frame as a small JPEG. The file is untrusted, so this runs
 * in a process of its own, `poster-worker.ts`.
 */
import type { Frame } from 'node-av/lib';
import { type Container, damaged, openContainer } from './source/container.ts';
import { createScaler, decode, displaySize } from './source/frames.ts';

/** The longer side, in pixels. */
const sideMax = 640;
/** Where the frame is looked for; many videos begin with a fade. */
const wantedSecond = 1;
/** A black or one-color frame has fewer bytes; later frames are tried instead of it. */
const flatBytesMax = 4_000;
/** Between two tries, and in all. */
const [framesPerTry, framesMax] = [12, 60];
const posterBytesMax = 60_000;
/** Of the JPEG encoder, from fine to coarse; the first within the limit is used. */
const quantizers = [4, 8, 16, 31] as const;

/** Throws `UnusableVideo` if no frame can be decoded. */
export async function makePoster(file: string): Promise<Buffer> {
  await using container = await openContainer(file, { onlyVideo: true });
  const { videoSeconds } = container.header;
  await container.seek(Math.min(wantedSecond, videoSeconds / 4));
  await using frames = await decode(container, { threads: 1 });
  let poster: Buffer | null = null;
  for (let at = 0; at < framesMax; at += 1) {
    const next = await frames.next();
    if (!next) break;
    using frame = next.frame;
    if (at % framesPerTry !== 0) continue;
    poster = await encode(container, frame);
    if (poster.length > flatBytesMax) break;
  }
  if (!poster) throw damaged();
  return poster;
}

async function encode(container: Container, frame: Frame): Promise<Buffer> {
  const shown = displaySize(frame, container);
  const scale = Math.min(1, sideMax / Math.max(shown.width, shown.height));
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2));
  const size = { width: even(shown.width), height: even(shown.height) };
  using scaler = createScaler(container, { first: frame, size });
  const [upright] = await scaler.processAll(frame);
  if (!upright) throw damaged();
  using pixels = upright;
  for (const quantizer of quantizers) {
    const bytes = await toJpeg(container, pixels, quantizer);
    if (bytes.length <= posterBytesMax) return bytes;
  }
  throw damaged();
}

async function toJpeg({ av }: Container, pixels: Frame, quantizer: number): Promise<Buffer> {
  using toYuv = av.FilterAPI.create('scale=out_range=full,format=yuvj420p', { threads: 1 });
  const [converted] = await toYuv.processAll(pixels);
  if (!converted) throw damaged();
  using frame = converted;
  using encoder = await av.Encoder.create(av.constants.FF_ENCODER_MJPEG, {
    context: { threadCount: 1 },
    options: { qmin: quantizer, qmax: quantizer },
  });
  const packets = [...(await encoder.encodeAll(frame)), ...(await encoder.encodeAll(null))];
  const data = packets[0]?.data;
  const bytes = data ? Buffer.from(data) : null;
  for (const packet of packets) packet.free();
  if (!bytes) throw damaged();
  return bytes;
}
