/**
 * Warps an image by a grid of points, and blends two warped images. This is three times faster than
 * drawing the grid as triangles on a canvas.
 */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Size } from '../size.ts';

/** Grid points in row order; the last ones are on or beyond the right and lower edges. */
export type WarpGrid = {
  readonly size: Size;
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
};

/** Cells along the longer side, about the resolution of the depth map. */
const cellsAcross = 160;

export function gridOver(size: Size): WarpGrid {
  const cell = Math.max(4, Math.round(Math.max(size.width, size.height) / cellsAcross));
  return {
    ...{ size, cell },
    columns: Math.ceil(size.width / cell) + 1,
    rows: Math.ceil(size.height / cell) + 1,
  };
}

/** An image with a mirrored margin around it. */
type PaddedImage = {
  readonly size: Size;
  readonly margin: { readonly x: number; readonly y: number };
  /** RGBA with red in the lowest byte (little-endian). */
  readonly pixels: Int32Array;
};

export function padImage(picture: Canvas, marginShare: number): PaddedImage {
  const { width, height } = picture;
  const margin = { x: Math.ceil(width * marginShare), y: Math.ceil(height * marginShare) };
  const size = { width: width + margin.x * 2, height: height + margin.y * 2 };
  const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  for (const column of [-1, 0, 1]) {
    for (const row of [-1, 0, 1]) {
      context.setTransform(column === 0 ? 1 : -1, 0, 0, row === 0 ? 1 : -1, 0, 0);
      const left = column === 0 ? margin.x : -margin.x - width * (column === 1 ? 2 : 0);
      const top = row === 0 ? margin.y : -margin.y - height * (row === 1 ? 2 : 0);
      context.drawImage(picture, left, top);
    }
  }
  const { data } = context.getImageData(0, 0, size.width, size.height);
  return { size, margin, pixels: new Int32Array(data.buffer, data.byteOffset, data.length / 4) };
}

/** The position in the padded image that each grid point shows. */
export type Projection = {
  readonly image: PaddedImage;
  readonly x: Float32Array;
  readonly y: Float32Array;
};

/** The second image, and its share at each grid point, from 0 to 1. */
type Blend = { readonly over: Projection; readonly shares: Float32Array };

/** Fills the frame, opaque, with one image or with two images blended. */
export function warp(target: Int32Array, grid: WarpGrid, under: Projection, blend?: Blend): void {
  const { size, cell, columns } = grid;
  const spare = blend && new Int32Array(size.width);
  for (let y = 0; y < size.height; y += 1) {
    const line = target.subarray(y * size.width, (y + 1) * size.width);
    const row = { first: Math.floor(y / cell) * columns, share: (y % cell) / cell };
    sampleLine(line, grid, { projection: under, row });
    if (!blend || !spare) continue;
    sampleLine(spare, grid, { projection: blend.over, row });
    mixLine(line, grid, { over: spare, shares: blend.shares, row });
  }
}

/** The grid point at the left end of a line of pixels, and the share of the cell above the line. */
type GridRow = { readonly first: number; readonly share: number };

/**
 * One line of a warped image with bilinear sampling. Runs for every pixel, so it uses integers
 * only: positions in 65,536ths and weights in 256ths.
 */
function sampleLine(
  line: Int32Array,
  { cell, columns }: WarpGrid,
  { projection, row }: { projection: Projection; row: GridRow },
): void {
  const { image, x, y } = projection;
  const { pixels } = image;
  const stride = image.size.width;
  const { first, share } = row;
  for (let column = 0, at = 0; at < line.length; column += 1) {
    const end = Math.min(at + cell, line.length);
    const k = first + column;
    const below = k + columns;
    const left = x[k]! + (x[below]! - x[k]!) * share;
    const right = x[k + 1]! + (x[below + 1]! - x[k + 1]!) * share;
    const top = y[k]! + (y[below]! - y[k]!) * share;
    const bottom = y[k + 1]! + (y[below + 1]! - y[k + 1]!) * share;
    let across = (left * 65536) | 0;
    let down = (top * 65536) | 0;
    const stepAcross = (((right - left) * 65536) / cell) | 0;
    const stepDown = (((bottom - top) * 65536) / cell) | 0;
    for (; at < end; at += 1) {
      const from = (down >> 16) * stride + (across >> 16);
      const a = pixels[from]!;
      const b = pixels[from + 1]!;
      const c = pixels[from + stride]!;
      const d = pixels[from + stride + 1]!;
      const toRight = (across >> 8) & 255;
      const toBelow = (down >> 8) & 255;
      const dShare = (toRight * toBelow) >> 8;
      const bShare = toRight - dShare;
      const cShare = toBelow - dShare;
      const aShare = 256 - toRight - toBelow + dShare;
      // Red and blue share one integer, each with eight free bits above it.
      const redBlue =
        Math.imul(a & 0xff00ff, aShare) +
        Math.imul(b & 0xff00ff, bShare) +
        Math.imul(c & 0xff00ff, cShare) +
        Math.imul(d & 0xff00ff, dShare);
      const green =
        Math.imul(a & 0xff00, aShare) +
        Math.imul(b & 0xff00, bShare) +
        Math.imul(c & 0xff00, cShare) +
        Math.imul(d & 0xff00, dShare);
      line[at] = 0xff000000 | ((redBlue >>> 8) & 0xff00ff) | ((green >>> 8) & 0xff00);
      across += stepAcross;
      down += stepDown;
    }
  }
}

function mixLine(
  line: Int32Array,
  { cell, columns }: WarpGrid,
  options: { over: Int32Array; shares: Float32Array; row: GridRow },
): void {
  const { over, shares, row } = options;
  for (let column = 0, at = 0; at < line.length; column += 1) {
    const end = Math.min(at + cell, line.length);
    const k = row.first + column;
    const left = shares[k]! + (shares[k + columns]! - shares[k]!) * row.share;
    const right = shares[k + 1]! + (shares[k + columns + 1]! - shares[k + 1]!) * row.share;
    let share = (left * 65536) | 0;
    const step = (((right - left) * 65536) / cell) | 0;
    for (; at < end; at += 1) {
      const second = share >> 8;
      const first = 256 - second;
      const [a, b] = [line[at]!, over[at]!];
      const redBlue = Math.imul(a & 0xff00ff, first) + Math.imul(b & 0xff00ff, second);
      const green = Math.imul(a & 0xff00, first) + Math.imul(b & 0xff00, second);
      line[at] = 0xff000000 | ((redBlue >>> 8) & 0xff00ff) | ((green >>> 8) & 0xff00);
      share += step;
    }
  }
}
