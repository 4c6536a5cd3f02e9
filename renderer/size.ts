/**
 * The frame size of a clip: the table of the upstream models, by model, resolution and ratio.
 * `adaptive` follows a given image or video. Every side is even, as H.264 4:2:0 requires.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { AspectRatio, Resolution } from '@vidgen/contract/models.ts';

export type Size = { readonly width: number; readonly height: number };
export type Ratio = Exclude<AspectRatio, 'adaptive'>;

const size = (width: number, height: number): Size => ({ width, height });

const table: Record<Resolution, Record<Ratio, Size>> = {
  '480p': {
    '16:9': size(864, 496),
    '4:3': size(752, 560),
    '1:1': size(640, 640),
    '3:4': size(560, 752),
    '9:16': size(496, 864),
    '21:9': size(992, 432),
  },
  '720p': {
    '16:9': size(1280, 720),
    '4:3': size(1112, 834),
    '1:1': size(960, 960),
    '3:4': size(834, 1112),
    '9:16': size(720, 1280),
    '21:9': size(1470, 630),
  },
  '1080p': {
    '16:9': size(1920, 1080),
    '4:3': size(1664, 1248),
    '1:1': size(1440, 1440),
    '3:4': size(1248, 1664),
    '9:16': size(1080, 1920),
    '21:9': size(2206, 946),
  },
  '4k': {
    '16:9': size(3840, 2160),
    '4:3': size(3326, 2494),
    '1:1': size(2880, 2880),
    '3:4': size(2494, 3326),
    '9:16': size(2160, 3840),
    '21:9': size(4398, 1886),
  },
};

/** Model 2.5 differs from 2.0 in these two sizes. */
const of25: Partial<Record<Ratio, Size>> = { '16:9': size(854, 480), '9:16': size(480, 854) };

/** An aspect ratio within this factor of a named ratio counts as that ratio. */
const snapFactor = 1.04;
/** Wider or taller images are cropped to this ratio. */
const widest = 21 / 9;

export function sizeOf(
  generation: Pick<Generation, 'model' | 'resolution' | 'aspectRatio'>,
  /** The size that `adaptive` follows; null for none. */
  given: Size | null,
): Size {
  const named = (ratio: Ratio): Size =>
    (generation.model === 'vidgen-2-5' && generation.resolution === '480p' && of25[ratio]) ||
    table[generation.resolution][ratio];
  if (generation.aspectRatio !== 'adaptive') return named(generation.aspectRatio);
  if (!given) return named('16:9');

  const shape = given.width / given.height;
  const ratios = Object.keys(table['720p']) as Ratio[];
  for (const ratio of ratios) {
    const { width, height } = named(ratio);
    const distance = shape / (width / height);
    if (Math.max(distance, 1 / distance) <= snapFactor) return named(ratio);
  }
  return sizeOfShape(Math.min(widest, Math.max(1 / widest, shape)), named('16:9'));
}

/** A size with about as many pixels in another aspect ratio. */
function sizeOfShape(shape: number, like: Size): Size {
  const pixels = like.width * like.height;
  const even = (side: number): number => Math.round(side / 2) * 2;
  return size(even(Math.sqrt(pixels * shape)), even(Math.sqrt(pixels / shape)));
}
