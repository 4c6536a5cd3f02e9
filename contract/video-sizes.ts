/**
 * The frame size of every model, resolution and aspect ratio: those of the contract as the upstream
 * models render them, others with as many pixels in every ratio.
 */
import type { AspectRatio, ModelName, Resolution } from './models.ts';

export type VideoSize = { readonly width: number; readonly height: number };
export type NamedRatio = Exclude<AspectRatio, 'adaptive'>;

export const namedRatios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'] as const;

/** Sizes are in the order of `namedRatios`. */
const sizes: Readonly<Partial<Record<Resolution, string>>> = {
  '480p': '864x496 752x560 640x640 560x752 496x864 992x432',
  '720p': '1280x720 1112x834 960x960 834x1112 720x1280 1470x630',
  '1080p': '1920x1080 1664x1248 1440x1440 1248x1664 1080x1920 2206x946',
  '4k': '3840x2160 3326x2494 2880x2880 2494x3326 2160x3840 4398x1886',
};

/** Model 2.5 differs from 2.0 in these two sizes of 480p. */
const sizesOf25: Partial<Record<NamedRatio, string>> = { '16:9': '854x480', '9:16': '480x854' };

export function videoSize(
  { model, resolution }: { readonly model: ModelName; readonly resolution: Resolution },
  ratio: NamedRatio,
): VideoSize {
  const listed = sizes[resolution];
  if (listed === undefined) return sizeIn(resolution, ratio);
  const ofModel = model === 'vidgen-2-5' && resolution === '480p' ? sizesOf25[ratio] : undefined;
  const text = ofModel ?? listed.split(' ')[namedRatios.indexOf(ratio)]!;
  const [width = 0, height = 0] = text.split('x').map(Number);
  return { width, height };
}

/** The shorter side of 16:9, in pixels. */
export function shortSideOf(resolution: Resolution): number {
  return shortSides[resolution] ?? Number.parseInt(resolution, 10);
}

const shortSides: Readonly<Partial<Record<Resolution, number>>> = {
  '2k': 1440,
  '4k': 2160,
  '8k': 4320,
};

export const pixelsOf = (resolution: Resolution): number => {
  const { width, height } = videoSize({ model: '', resolution }, '16:9');
  return width * height;
};

function sizeIn(resolution: Resolution, ratio: NamedRatio): VideoSize {
  const side = shortSideOf(resolution);
  const pixels = ((side * 16) / 9) * side;
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  // Every side is even, as H.264 4:2:0 requires.
  const even = (length: number): number => Math.round(length / 2) * 2;
  return {
    width: even(Math.sqrt((pixels * across) / down)),
    height: even(Math.sqrt((pixels * down) / across)),
  };
}
