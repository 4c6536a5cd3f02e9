/** A still picture with a guessed depth, and how a camera that stands elsewhere sees it. */
import type { Canvas } from '@napi-rs/canvas';
import { clamp } from '../motion.ts';
import { type Depth, depthOf } from './depth.ts';
import { type Plane, valueAt } from './plane.ts';
import { type Pose, pivot } from './shot.ts';
import { type Laid, type Net, sheetOf } from './warp.ts';

export type Still = {
  readonly picture: Canvas;
  readonly depth: Depth;
  /** The net it was last laid on. */
  readonly laid: Laid;
};

/** How far the picture goes on beyond its edges, mirrored: seen when the camera goes back. */
const marginShare = 0.08;
/** Where the eye looks, as a share of the height. */
const level = 0.47;

export function stillOf(picture: Canvas, { columns, rows }: Net): Still {
  const laid = {
    sheet: sheetOf(picture, marginShare),
    x: new Float32Array(columns * rows),
    y: new Float32Array(columns * rows),
  };
  return { picture, depth: depthOf(picture), laid };
}

/**
 * Finds which place of the picture each knot of the net shows. What moves a place is how near it
 * is itself, so it is looked for: guess, see how near it is there, guess better.
 */
export function lay({ depth, laid }: Still, net: Net, pose: Pose): Laid {
  const { width, height } = net.size;
  const { margin, size } = laid.sheet;
  const [middleX, middleY] = [width / 2, height * level];
  for (let row = 0, at = 0; row < net.rows; row += 1) {
    const toY = row * net.cell + 0.5;
    for (let column = 0; column < net.columns; column += 1, at += 1) {
      const toX = column * net.cell + 0.5;
      let [x, y] = [toX, toY];
      for (let guess = 0; guess < 3; guess += 1) {
        const near = valueAt(depth.plane, x / width, y / height);
        const scale = 1 + pose.zoom + pose.closer * near;
        x = middleX + (toX - middleX - pose.x - pose.shiftX * (near - pivot)) / scale;
        y = middleY + (toY - middleY - pose.y - pose.shiftY * (near - pivot)) / scale;
      }
      // The four pixels that are mixed begin half a pixel up and to the left.
      laid.x[at] = clamp(x - 0.5 + margin.x, 0, size.width - 1.01);
      laid.y[at] = clamp(y - 0.5 + margin.y, 0, size.height - 1.01);
    }
  }
  return laid;
}

/** The values of a plane over the picture, at the places the knots now show. */
export function valuesAtKnots({ picture, laid }: Still, plane: Plane, into: Float32Array): void {
  const { width, height } = picture;
  const { margin } = laid.sheet;
  for (let at = 0; at < into.length; at += 1) {
    const across = (laid.x[at]! - margin.x + 0.5) / width;
    const down = (laid.y[at]! - margin.y + 0.5) / height;
    into[at] = valueAt(plane, across, down);
  }
}
