/**
 * The frame size of a clip: the table of the upstream models, by model, resolution and ratio.
 * `adaptive` follows a given image or video. Every side is even, as H.264 4:2:0 requires.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { AspectRatio, Resolution } from '@vidgen/contract/models.ts';

export type Size = { readonly width: number; readonly height: number };
export type Ratio = Exclude<AspectRatio, 'adaptive'>;

const size = (width: number, height: number): Size => ({ width, height });

const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'] as const satisfies readonly Ratio[];
const rows: Record<Resolution, string> = {
  '480p': '864x496 752x560 640x640 560x752 496x864 992x432',
  '720p': '1280x720 1112x834 960x960 834x1112 720x1280 1470x630',
  '1080p': '1920x1080 1664x1248 1440x1440 1248x1664 1080x1920 2206x946',
  '4k': '3840x2160 3326x2494 2880x2880 2494x3326 2160x3840 4398x1886',
};
const sizeIn = (resolution: Resolution, ratio: Ratio): Size => {
  const [width, height] = rows[resolution]
    .split(' ')
    [ratios.indexOf(ratio)]!.split('x')
    .map(Number);
  return size(width!, height!);
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
    sizeIn(generation.resolution, ratio);
  if (generation.aspectRatio !== 'adaptive') return named(generation.aspectRatio);
  if (!given) return named('16:9');

  const shape = given.width / given.height;
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
