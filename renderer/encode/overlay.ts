/**
 * Blends texts into frames in the colors of the video, so that frames which the encoder enlarges
 * have sharp texts.
 */
import type { Rect } from '../size.ts';
import { type Plane, planesIn, planesLength, toPlanes } from './planes.ts';

/** Premultiplied RGBA pixels. Position and size are even numbers of pixels. */
export type Mark = Rect & { readonly rgba: Uint8Array };

/** Changes the planes of a frame: luma, then both of chroma. */
export type Overlay = (planes: readonly Plane[], opacities: readonly number[]) => void;

/** A mark in one plane. */
type Layer = Rect & {
  /** What is added to the black of the plane. */
  readonly added: Int16Array;
  /** From 0 to 255. */
  readonly cover: Uint8Array;
  readonly black: number;
};

export function createOverlay(marks: readonly Mark[]): Overlay {
  const layers = marks.map(layersOf);
  return (planes, opacities) => {
    for (const [mark, opacity] of opacities.entries()) {
      if (opacity === 0) continue;
      for (const [at, plane] of planes.entries()) blend(plane, layers[mark]![at]!, opacity);
    }
  };
}

function layersOf({ rgba, ...rect }: Mark): readonly Layer[] {
  const { width, height } = rect;
  const pixels = width * height;
  const values = new Uint8Array(planesLength(rect));
  toPlanes(rgba, rect, values);
  const cover = new Uint8Array(pixels);
  for (let pixel = 0; pixel < pixels; pixel += 1) cover[pixel] = rgba[pixel * 4 + 3]!;
  const halfCover = halved(cover, rect);
  const half = { x: rect.x / 2, y: rect.y / 2, width: width / 2, height: height / 2 };
  return planesIn(values, rect).map((plane, at) => {
    const black = at === 0 ? 16 : 128;
    const added = Int16Array.from(plane.values, (value) => value - black);
    return at === 0
      ? { ...rect, added, cover, black }
      : { ...half, added, cover: halfCover, black };
  });
}

function halved(cover: Uint8Array, { width, height }: Rect): Uint8Array {
  const half = new Uint8Array((width * height) / 4);
  for (let at = 0; at < half.length; at += 1) {
    const above = Math.floor(at / (width / 2)) * width * 2 + (at % (width / 2)) * 2;
    const below = above + width;
    const sum = cover[above]! + cover[above + 1]! + cover[below]! + cover[below + 1]!;
    half[at] = (sum + 2) >> 2;
  }
  return half;
}

function blend({ values, stride }: Plane, layer: Layer, opacity: number): void {
  const { x, y, width, height, added, cover, black } = layer;
  const weight = Math.round((opacity * 2 ** 16) / 255);
  let from = 0;
  for (let row = y; row < y + height; row += 1) {
    const start = row * stride + x;
    for (let at = start; at < start + width; at += 1, from += 1) {
      const below = values[at]! - black;
      const change = (added[from]! * 255 - below * cover[from]!) * weight;
      values[at] = below + black + ((change + 2 ** 15) >> 16);
    }
  }
}
