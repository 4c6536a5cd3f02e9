/**
 * The frame size of a clip, by model, resolution and ratio. `adaptive` follows a given image or
 * video. Every side is even, as H.264 4:2:0 requires.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import {
  type NamedRatio,
  namedRatios,
  type VideoSize,
  videoSize,
} from '@vidgen/contract/video-sizes.ts';

export type Size = VideoSize;
export type Point = { readonly x: number; readonly y: number };
export type Rect = Size & Point;

/** An aspect ratio within this factor of a named ratio counts as that ratio. */
const snapFactor = 1.04;
/** Wider or taller images are cropped to this ratio. */
const widest = 21 / 9;

export function sizeOf(
  generation: Pick<Generation, 'model' | 'resolution' | 'aspectRatio'>,
  /** The size that `adaptive` follows; null for none. */
  given: Size | null,
): Size {
  const named = (ratio: NamedRatio): Size => videoSize(generation, ratio);
  if (generation.aspectRatio !== 'adaptive') return named(generation.aspectRatio);
  if (!given) return named('16:9');

  const shape = given.width / given.height;
  for (const ratio of namedRatios) {
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
  return { width: even(Math.sqrt(pixels * shape)), height: even(Math.sqrt(pixels / shape)) };
}
