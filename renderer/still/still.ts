/** A still image with its depth map, and its projection for a moved camera. */
import type { Canvas } from '@napi-rs/canvas';
import { clamp } from '../motion.ts';
import { type Depth, depthOf } from './depth.ts';
import { valueAt } from './plane.ts';
import { type Pose, pivot } from './shot.ts';
import { type Projection, padImage, type WarpGrid } from './warp.ts';

export type Still = {
  readonly depth: Depth;
  /** Reused by every call of `projectGrid`. */
  readonly projection: Projection;
};

/** Width of the mirrored margin, which is visible when the camera moves back. */
const marginShare = 0.08;
/** The vanishing point, as a share of the height. */
const horizon = 0.47;

export function stillOf(picture: Canvas, { columns, rows }: WarpGrid): Still {
  const projection = {
    image: padImage(picture, marginShare),
    x: new Float32Array(columns * rows),
    y: new Float32Array(columns * rows),
  };
  return { depth: depthOf(picture), projection };
}

/**
 * Finds the position in the image that each grid point shows. The displacement depends on the depth
 * at that position, so it is found by three iterations.
 */
export function projectGrid({ depth, projection }: Still, grid: WarpGrid, pose: Pose): Projection {
  const { width, height } = grid.size;
  const { margin, size } = projection.image;
  const [middleX, middleY] = [width / 2, height * horizon];
  for (let row = 0, at = 0; row < grid.rows; row += 1) {
    const toY = row * grid.cell + 0.5;
    for (let column = 0; column < grid.columns; column += 1, at += 1) {
      const toX = column * grid.cell + 0.5;
      let [x, y] = [toX, toY];
      for (let guess = 0; guess < 3; guess += 1) {
        const near = valueAt(depth.plane, x / width, y / height);
        const scale = 1 + pose.zoom + pose.closer * near;
        x = middleX + (toX - middleX - pose.x - pose.shiftX * (near - pivot)) / scale;
        y = middleY + (toY - middleY - pose.y - pose.shiftY * (near - pivot)) / scale;
      }
      // Bilinear sampling starts half a pixel up and to the left.
      projection.x[at] = clamp(x - 0.5 + margin.x, 0, size.width - 1.01);
      projection.y[at] = clamp(y - 0.5 + margin.y, 0, size.height - 1.01);
    }
  }
  return projection;
}
