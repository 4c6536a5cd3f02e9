/**
 * Makes the poster of a video: one early frame as a small JPEG. The file is untrusted, so this runs
 * in a process of its own, `video-worker.ts`.
 */
import type { Frame } from 'node-av/lib';
import { type Container, damaged, openContainer } from './source/container.ts';
import { createScaler, decode, decodeKeyFrame, displaySize } from './source/frames.ts';

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

/**
 * Returns it with the seconds of the video, as its header says. Throws `UnusableMaterial` if no
 * frame can be decoded.
 */
export async function makePoster(file: string) {
  await using container = await openContainer(file, { onlyVideo: true, isBlocking: true });
  const { videoSeconds, fileSeconds } = container.header;
  return { poster: await findPoster(container), seconds: Math.max(videoSeconds, fileSeconds) };
}

async function findPoster(container: Container): Promise<Buffer> {
  const second = Math.min(wantedSecond, container.header.videoSeconds / 4);
  await container.seek(second);
  using keyFrame = await decodeKeyFrame(container);
  let poster = keyFrame && encode(container, keyFrame);
  if (poster && poster.length > flatBytesMax) return poster;
  await container.seek(second);
  await using frames = await decode(container, { threads: 1 });
  for (let at = 0; at < framesMax; at += 1) {
    const next = await frames.next();
    if (!next) break;
    using frame = next.frame;
    if (at % framesPerTry !== 0 || (at === 0 && poster)) continue;
    poster = encode(container, frame);
    if (poster.length > flatBytesMax) break;
  }
  if (!poster) throw damaged();
  return poster;
}

function encode(container: Container, frame: Frame): Buffer {
  const shown = displaySize(frame, container);
  const scale = Math.min(1, sideMax / Math.max(shown.width, shown.height));
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2));
  const size = { width: even(shown.width), height: even(shown.height) };
  const output = 'scale=out_range=full,format=yuvj420p';
  using scaler = createScaler(container, { first: frame, size, output });
  const [upright] = scaler.processAllSync(frame);
  if (!upright) throw damaged();
  using pixels = upright;
  for (const quantizer of quantizers) {
    const bytes = toJpeg(container, pixels, quantizer);
    if (bytes.length <= posterBytesMax) return bytes;
  }
  throw damaged();
}

function toJpeg({ av }: Container, pixels: Frame, quantizer: number): Buffer {
  using encoder = av.Encoder.createSync(av.constants.FF_ENCODER_MJPEG, {
    // Not as `options`, which a blocking call frees twice.
    context: { threadCount: 1, qMin: quantizer, qMax: quantizer },
  });
  const packets = [...encoder.encodeAllSync(pixels), ...encoder.encodeAllSync(null)];
  const data = packets[0]?.data;
  const bytes = data ? Buffer.from(data) : null;
  for (const packet of packets) packet.free();
  if (!bytes) throw damaged();
  return bytes;
}
