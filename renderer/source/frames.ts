/**
 * Decodes the frames of a video in display order, one at a time: memory does not grow with the
 * length of the video.
 */
import type { Decoder, FilterAPI } from 'node-av/api';
import type { Frame } from 'node-av/lib';
import type { Size } from '../size.ts';
import { UnusableMaterial } from '../unusable.ts';
import { type Container, damaged } from './container.ts';

/** A decoder holds up to twenty frames: at this size, 0.3 GB. */
const pixelsMax = 4096 * 2304;

/** A decoded frame and its time, in seconds of the file. */
export type TimedFrame = { readonly frame: Frame; readonly second: number };

export type FrameReader = AsyncDisposable & {
  /** The next frame, to be freed by the caller; null at the end. */
  next(): Promise<TimedFrame | null>;
};

type DecodeOptions = {
  /** One thread is enough for a card; a full-size video may use two. */
  readonly threads: 1 | 2;
};

export async function decode(container: Container, options: DecodeOptions): Promise<FrameReader> {
  const decoder = await openDecoder(container, options);
  const frames = decodedFrames(container, decoder);
  return {
    async next() {
      const { value } = await frames.next();
      return value ?? null;
    },
    [Symbol.asyncDispose]: async () => decoder.close(),
  };
}

/**
 * Decodes the next packet alone, which is a key frame after a seek: a decoder otherwise returns a
 * frame only after the packets of later ones. Blocks. Returns the frame, to be freed by the caller;
 * null if the packet has none that is shown.
 */
export async function decodeKeyFrame(container: Container): Promise<Frame | null> {
  using decoder = await openDecoder(container, { threads: 1 });
  using packet = await container.read();
  decoder.decodeSync(packet);
  decoder.decodeSync(null);
  return decoder.receiveSync() || null;
}

async function openDecoder({ av, stream }: Container, { threads }: DecodeOptions) {
  const { width, height } = stream.codecpar;
  if (width * height > pixelsMax) throw tooLarge({ width, height });
  // Never `createSync`: with options it frees them twice, which later crashes the process.
  return await av.Decoder.create(stream, {
    threadCount: threads,
    exitOnError: false,
    // The size in the frames may exceed the size in the header.
    options: { max_pixels: pixelsMax } as never,
  }).catch(() => Promise.reject(damaged()));
}

const tooLarge = ({ width, height }: Size): UnusableMaterial =>
  new UnusableMaterial(`${width}x${height} pixels exceed the limit of ${pixelsMax}`);

/** Skips frames that cannot be decoded; the frame before is then shown for longer. */
async function* decodedFrames(
  container: Container,
  decoder: Decoder,
): AsyncGenerator<TimedFrame, null> {
  const { stream, isBlocking } = container;
  const receive = async () => (isBlocking ? decoder.receiveSync() : await decoder.receive());
  for (let isEnd = false; !isEnd; ) {
    using packet = await container.read();
    isEnd = packet === null;
    if (packet && packet.streamIndex !== stream.index) continue;
    if (isBlocking) decoder.decodeSync(packet);
    else await decoder.decode(packet);
    for (let frame = await receive(); frame; frame = await receive()) {
      yield { frame, second: container.secondsOf(frame.pts, stream.index) };
    }
  }
  return null;
}

type FrameRotation = {
  /** Clockwise quarter turns, after mirroring if `mirrored`. */
  readonly quarters: 0 | 1 | 2 | 3;
  readonly mirrored: boolean;
};

/** The rotation in the file's display matrix, which phones write. */
function rotationOf({ av, stream }: Container): FrameRotation {
  const matrix = stream.codecpar.getCodedSideData(av.constants.AV_PKT_DATA_DISPLAYMATRIX);
  if (!matrix || matrix.length < 36) return { quarters: 0, mirrored: false };
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => matrix.readInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  const mirrored = a * d - b * c < 0;
  const angle = mirrored ? Math.atan2(-b, -a) : Math.atan2(b, a);
  const quarters = (Math.round(angle / (Math.PI / 2)) + 4) % 4;
  return { quarters: quarters as FrameRotation['quarters'], mirrored };
}

/** The size after rotation, with square pixels. */
export function displaySize(frame: Frame, container: Container): Size {
  const { width, height } = frame;
  const wide = Math.max(1, Math.round(width * pixelAspect(frame, container)));
  return rotationOf(container).quarters % 2 === 1
    ? { width: height, height: wide }
    : { width: wide, height };
}

/** Width over height of one pixel; 1 when the file has no plausible value. */
function pixelAspect(frame: Frame, { stream }: Container): number {
  const shapes = [stream.sampleAspectRatio, frame.sampleAspectRatio];
  const known = shapes.find(({ num, den }) => num > 0 && den > 0);
  const shape = known ? known.num / known.den : 1;
  return shape > 0.25 && shape < 4 ? shape : 1;
}

/** Converts decoded frames to upright RGBA pixels that cover the given size, then to `output`. */
export function createScaler(
  container: Container,
  options: {
    readonly first: Frame;
    readonly size: Size;
    readonly filters?: string;
    readonly output?: string;
  },
): FilterAPI {
  const { av } = container;
  const { first, size } = options;
  const { quarters, mirrored } = rotationOf(container);
  const [width, height] =
    quarters % 2 === 1 ? [size.height, size.width] : [size.width, size.height];
  const shape = width / height / pixelAspect(first, container);
  // Without a color space in the file, players choose one by the size.
  const isUnspecified = first.colorSpace === av.constants.AVCOL_SPC_UNSPECIFIED;
  const matrix = isUnspecified && first.height > 576 ? ':in_color_matrix=bt709' : '';
  const rotations = ['', 'transpose=clock', 'hflip,vflip', 'transpose=cclock'] as const;
  const steps = [
    `crop='min(iw,ih*${shape})':'min(ih,iw/${shape})':exact=1`,
    `scale=${width}:${height}:flags=bicubic${matrix}`,
    mirrored ? 'hflip' : '',
    rotations[quarters],
    options.filters ?? '',
    'format=rgba',
    options.output ?? '',
  ];
  return av.FilterAPI.create(steps.filter((step) => step !== '').join(','), { threads: 1 });
}
