/**
 * The pictures of a video file in the order they are shown, decoded one after the other and kept no
 * longer than needed: memory does not grow with the length of the video.
 */
import type { Decoder, FilterAPI } from 'node-av/api';
import type { Frame } from 'node-av/lib';
import type { Size } from '../size.ts';
import { type Container, damaged, UnusableVideo } from './container.ts';

/** 4096 by 2304. A decoder keeps up to twenty pictures: 0.3 GB of them, and not more. */
const pixelsMax = 4096 * 2304;

/** A decoded picture and when it is shown, in seconds of the file. */
export type Shown = { readonly frame: Frame; readonly second: number };

export type Frames = Disposable & {
  /** The next picture, to be freed by its reader; null at the end. */
  next(): Promise<Shown | null>;
};

/** One thread is enough for a picture on a card; a whole frame may use two. */
export async function decode(
  container: Container,
  options: { readonly threads: 1 | 2 },
): Promise<Frames> {
  const { av, stream } = container;
  const { width, height } = stream.codecpar;
  if (width * height > pixelsMax) throw tooLarge({ width, height });
  const decoder = await av.Decoder.create(stream, {
    threadCount: options.threads,
    exitOnError: false,
    // What the pictures themselves say may be more than what the file says.
    options: { max_pixels: pixelsMax } as never,
  }).catch(() => Promise.reject(damaged()));
  const ready = pictures(container, decoder);
  return {
    async next() {
      const { value } = await ready.next();
      return value ?? null;
    },
    [Symbol.dispose]: () => decoder.close(),
  };
}

const tooLarge = ({ width, height }: Size): UnusableVideo =>
  new UnusableVideo(`${width}x${height} pixels are more than ${pixelsMax}`);

/** A picture that cannot be decoded is left out; the one before it is then shown for longer. */
async function* pictures(container: Container, decoder: Decoder): AsyncGenerator<Shown, null> {
  const { stream } = container;
  for (let isEnd = false; !isEnd; ) {
    using packet = await container.read();
    isEnd = packet === null;
    if (packet && packet.streamIndex !== stream.index) continue;
    await decoder.decode(packet);
    for (let frame = await decoder.receive(); frame; frame = await decoder.receive()) {
      yield { frame, second: container.secondsOf(frame.pts, stream.index) };
    }
  }
  return null;
}

export type FrameRotation = {
  /** Quarters to the right, and whether it is seen in a mirror before. */
  readonly quarters: 0 | 1 | 2 | 3;
  readonly mirrored: boolean;
};

/** How the file says that its pictures are to be turned: phones film lying on their side. */
export function turnOf({ av, stream }: Container): FrameRotation {
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

/** Upright and with square pixels. */
export function displaySize(frame: Frame, container: Container): Size {
  const { width, height } = frame;
  const wide = Math.max(1, Math.round(width * pixelShape(frame, container)));
  return turnOf(container).quarters % 2 === 1
    ? { width: height, height: wide }
    : { width: wide, height };
}

/** Width over height of one pixel; what is beyond all use is a lie. */
function pixelShape(frame: Frame, { stream }: Container): number {
  const shapes = [stream.sampleAspectRatio, frame.sampleAspectRatio];
  const known = shapes.find(({ num, den }) => num > 0 && den > 0);
  const shape = known ? known.num / known.den : 1;
  return shape > 0.25 && shape < 4 ? shape : 1;
}

/** Decoded pictures to RGBA pixels that cover the given size, upright. */
export function scaler(
  container: Container,
  options: { readonly first: Frame; readonly size: Size; readonly filters?: string },
): FilterAPI {
  const { av } = container;
  const { first, size } = options;
  const { quarters, mirrored } = turnOf(container);
  const [width, height] =
    quarters % 2 === 1 ? [size.height, size.width] : [size.width, size.height];
  const shape = width / height / pixelShape(first, container);
  // Where a file does not name its colors, players take those of its size.
  const isUnnamed = first.colorSpace === av.constants.AVCOL_SPC_UNSPECIFIED;
  const matrix = isUnnamed && first.height > 576 ? ':in_color_matrix=bt709' : '';
  const turns = ['', 'transpose=clock', 'hflip,vflip', 'transpose=cclock'] as const;
  const steps = [
    `crop='min(iw,ih*${shape})':'min(ih,iw/${shape})':exact=1`,
    `scale=${width}:${height}:flags=bicubic${matrix}`,
    mirrored ? 'hflip' : '',
    turns[quarters],
    options.filters ?? '',
    'format=rgba',
  ];
  return av.FilterAPI.create(steps.filter((step) => step !== '').join(','), { threads: 1 });
}
