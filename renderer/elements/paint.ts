/**
 * Images computed point by point. Soft images are computed at a fraction of their size and
 * enlarged; a little grain hides the color banding of 8-bit gradients.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Color } from '../color.ts';
import { type Random, randomFrom } from '../random.ts';
import type { Size } from '../size.ts';
import type { Edges } from './layer.ts';

type SoftOptions = {
  /** Pixels per computed point, in both directions. */
  readonly coarseness: number;
  readonly random: Random;
  /** In levels of brightness out of 255. Images with their own texture need none. */
  readonly grain?: number;
};

/** Paints an opaque image; `colorAt` takes pixels of the image. */
export function paintSoft(
  size: Size,
  { coarseness, random, grain = 4 }: SoftOptions,
  colorAt: (x: number, y: number) => Color,
): Canvas {
  const canvas = paintPoints(size, coarseness, 1, (x, y, pixel) => {
    pixel.set(colorAt(x, y));
    pixel[3] = 255;
  });
  if (grain > 0) addGrain(canvas, { random, grain });
  return canvas;
}

/**
 * Computes points and enlarges them. Enlarging fades the border, so there are `border` more points
 * on every side.
 */
function paintPoints(
  size: Size,
  coarseness: number,
  border: number,
  paint: (x: number, y: number, pixel: Uint8ClampedArray) => void,
): Canvas {
  const columns = Math.ceil(size.width / coarseness) + border * 2;
  const rows = Math.ceil(size.height / coarseness) + border * 2;
  const context = createCanvas(columns, rows).getContext('2d');
  const image = context.createImageData(columns, rows);
  const pixel = new Uint8ClampedArray(4);
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 4) {
      paint((column - border + 0.5) * coarseness, (row - border + 0.5) * coarseness, pixel);
      image.data[at] = pixel[0]!;
      image.data[at + 1] = pixel[1]!;
      image.data[at + 2] = pixel[2]!;
      image.data[at + 3] = pixel[3]!;
    }
  }
  context.putImageData(image, 0, 0);
  if (border === 0) return context.canvas;
  const large = createCanvas(size.width, size.height).getContext('2d');
  large.imageSmoothingQuality = 'high';
  const [wide, tall] = [columns * coarseness, rows * coarseness];
  large.drawImage(context.canvas, -coarseness, -coarseness, wide, tall);
  return large.canvas;
}

/**
 * The same as `paintSoft`, drawn into a box of the frame; `colorAt` takes coordinates of the frame.
 */
export function paintSoftInto(
  context: SKRSContext2D,
  { box, ...options }: SoftOptions & { readonly box: Edges },
  colorAt: (x: number, y: number) => Color,
): void {
  const [left, top] = [Math.floor(box.left), Math.floor(box.top)];
  const size = { width: Math.ceil(box.right) - left, height: Math.ceil(box.bottom) - top };
  const image = paintSoft(size, options, (x, y) => colorAt(x + left, y + top));
  context.drawImage(image, left, top);
}

/** All images share one grain tile; only its offset is random. */
const grainSeed = 20_251_115;
const tileSide = 512;
const tiles = new Map<number, Canvas>();

/** Adds the same value to red, green and blue, so that the grain has no color. */
function addGrain(
  canvas: Canvas,
  { random, grain }: { readonly random: Random; readonly grain: number },
): void {
  const tile = tiles.get(grain) ?? grainTile(grain);
  tiles.set(grain, tile);
  const context = canvas.getContext('2d');
  const [left, top] = [-Math.floor(random() * tileSide), -Math.floor(random() * tileSide)];
  for (let y = top; y < canvas.height; y += tileSide) {
    for (let x = left; x < canvas.width; x += tileSide) context.drawImage(tile, x, y);
  }
}

function grainTile(grain: number): Canvas {
  const context = createCanvas(tileSide, tileSide).getContext('2d');
  const image = context.createImageData(tileSide, tileSide);
  const random = randomFrom(grainSeed);
  for (let at = 0; at < image.data.length; at += 4) {
    const speck = (random() - 0.5) * grain * 2;
    const tone = speck > 0 ? 255 : 0;
    image.data[at] = tone;
    image.data[at + 1] = tone;
    image.data[at + 2] = tone;
    image.data[at + 3] = Math.round(Math.abs(speck));
  }
  context.putImageData(image, 0, 0);
  return context.canvas;
}

type MaskOptions = { readonly coarseness: number; readonly color: Color };

/** Paints an image of one color without grain; `alphaAt` returns the opacity, from 0 to 1. */
export const paintMask = (
  size: Size,
  { coarseness, color }: MaskOptions,
  alphaAt: (x: number, y: number) => number,
): Canvas =>
  paintPoints(size, coarseness, coarseness === 1 ? 0 : 1, (x, y, pixel) => {
    pixel.set(color);
    pixel[3] = alphaAt(x, y) * 255;
  });
