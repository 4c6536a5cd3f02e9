/**
 * Pictures laid on a net that is pulled out of shape, and blended where there are two of them. A
 * canvas can only turn and stretch a whole picture; a net of triangles costs it three times this.
 */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Size } from '../size.ts';

/** The knots of the net, row by row; the last ones lie on or beyond the frame's far edges. */
export type Net = {
  readonly size: Size;
  /** Pixels of the frame between two knots. */
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
};

/** About this many cells lie across the longer side: finer than any depth that is guessed. */
const cellsAcross = 160;

export function netOver(size: Size): Net {
  const cell = Math.max(4, Math.round(Math.max(size.width, size.height) / cellsAcross));
  return {
    ...{ size, cell },
    columns: Math.ceil(size.width / cell) + 1,
    rows: Math.ceil(size.height / cell) + 1,
  };
}

/** What can be laid on a net: a picture that goes on beyond its edges, mirrored. */
export type Sheet = {
  /** Of the picture with its margin. */
  readonly size: Size;
  readonly margin: { readonly x: number; readonly y: number };
  /** Red in the lowest byte, as canvases have it on every machine that Node runs on. */
  readonly pixels: Int32Array;
};

export function sheetOf(picture: Canvas, marginShare: number): Sheet {
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

/** Which place of its sheet each knot shows, in pixels of the picture. */
export type Laid = { readonly sheet: Sheet; readonly x: Float32Array; readonly y: Float32Array };

/** How much of the second is seen at each knot, from 0 to 1. */
export type Blend = { readonly over: Laid; readonly shares: Float32Array };

/** Fills the frame, opaque, with one picture or with two of them blended. */
export function warp(target: Int32Array, net: Net, under: Laid, blend?: Blend): void {
  const { size, cell, columns } = net;
  const spare = blend && new Int32Array(size.width);
  const [shows, covers] = [new Uint8Array(columns).fill(1), new Uint8Array(columns)];
  for (let y = 0; y < size.height; y += 1) {
    const line = target.subarray(y * size.width, (y + 1) * size.width);
    const place = { knot: Math.floor(y / cell) * columns, share: (y % cell) / cell };
    if (blend && y % cell === 0) markCells(blend.shares, place.knot, { columns, shows, covers });
    sampleLine(line, net, { laid: under, place, marks: shows });
    if (!blend || !spare) continue;
    sampleLine(spare, net, { laid: blend.over, place, marks: covers });
    mixLine(line, net, { over: spare, shares: blend.shares, place, marks: covers });
  }
}

/** Fills the frame with a picture of which more or less is seen at each knot, from 0 to 1. */
export function warpVeiled(target: Int32Array, net: Net, laid: Laid, shares: Float32Array): void {
  const { size, cell, columns } = net;
  const marks = { columns, shows: new Uint8Array(columns), covers: new Uint8Array(columns) };
  for (let y = 0; y < size.height; y += 1) {
    const line = target.subarray(y * size.width, (y + 1) * size.width);
    const place = { knot: Math.floor(y / cell) * columns, share: (y % cell) / cell };
    if (y % cell === 0) markCells(shares, place.knot, marks);
    sampleLine(line, net, { laid, place, marks: marks.covers });
    veilLine(line, net, { shares, place, marks: marks.covers });
  }
}

/** Where in the net a line of pixels lies: the knot at its left end, and how far below it. */
type Place = { readonly knot: number; readonly share: number };

/** Notes for one row of cells which of the two pictures are seen at all. */
function markCells(
  shares: Float32Array,
  knot: number,
  { columns, shows, covers }: { columns: number; shows: Uint8Array; covers: Uint8Array },
): void {
  for (let column = 0; column < columns - 1; column += 1) {
    const at = knot + column;
    const around = [shares[at]!, shares[at + 1]!, shares[at + columns]!, shares[at + columns + 1]!];
    shows[column] = Math.min(...around) < 1 ? 1 : 0;
    covers[column] = Math.max(...around) > 0 ? 1 : 0;
  }
}

/**
 * One line of a laid picture, each pixel from the four around its place. Half a million times a
 * frame: whole numbers only, places and weights in fractions of 65,536 and 256.
 */
function sampleLine(
  line: Int32Array,
  { cell, columns }: Net,
  { laid, place, marks }: { laid: Laid; place: Place; marks: Uint8Array },
): void {
  const { sheet, x, y } = laid;
  const { pixels } = sheet;
  const stride = sheet.size.width;
  const { knot, share } = place;
  for (let column = 0, at = 0; at < line.length; column += 1) {
    const end = Math.min(at + cell, line.length);
    if (marks[column] === 0) {
      at = end;
      continue;
    }
    const k = knot + column;
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
      // Red and blue together in one number, each with room above it.
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
  { cell, columns }: Net,
  options: { over: Int32Array; shares: Float32Array; place: Place; marks: Uint8Array },
): void {
  const { over, shares, place, marks } = options;
  for (let column = 0, at = 0; at < line.length; column += 1) {
    const end = Math.min(at + cell, line.length);
    if (marks[column] === 0) {
      at = end;
      continue;
    }
    const k = place.knot + column;
    const left = shares[k]! + (shares[k + columns]! - shares[k]!) * place.share;
    const right = shares[k + 1]! + (shares[k + columns + 1]! - shares[k + 1]!) * place.share;
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

function veilLine(
  line: Int32Array,
  { cell, columns }: Net,
  { shares, place, marks }: { shares: Float32Array; place: Place; marks: Uint8Array },
): void {
  for (let column = 0, at = 0; at < line.length; column += 1) {
    const end = Math.min(at + cell, line.length);
    if (marks[column] === 0) {
      line.fill(0, at, end);
      at = end;
      continue;
    }
    const k = place.knot + column;
    const left = shares[k]! + (shares[k + columns]! - shares[k]!) * place.share;
    const right = shares[k + 1]! + (shares[k + columns + 1]! - shares[k + 1]!) * place.share;
    let share = (left * 0xff0000) | 0;
    const step = (((right - left) * 0xff0000) / cell) | 0;
    for (; at < end; at += 1) {
      line[at] = (line[at]! & 0xffffff) | ((share << 8) & 0xff000000);
      share += step;
    }
  }
}
