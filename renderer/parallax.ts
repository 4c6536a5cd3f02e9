/**
 * A camera that moves in a still image: near parts move more than far parts. It starts at rest on
 * the image itself, pixel for pixel, and never shows a tear or an empty edge.
 */
import { type Canvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import type { CameraMove } from './camera.ts';
import { isAtRest, shotOf } from './still/shot.ts';
import { projectGrid, stillOf } from './still/still.ts';
import { gridOver, warp } from './still/warp.ts';

export type ParallaxOptions = {
  readonly move: CameraMove;
  /** The time of the last frame. The camera is at rest at 0 and at this time. */
  readonly lastSecond: number;
};

export type Parallax = {
  /** Draws at the upper left corner, opaque, ignoring the transform of the context. */
  draw(context: SKRSContext2D, second: number): void;
};

export function createParallax(image: Canvas, options: ParallaxOptions): Parallax {
  const { width, height } = image;
  const grid = gridOver({ width, height });
  const shot = shotOf(options, grid.size);
  const still = stillOf(image, grid);
  const frame = new ImageData(width, height);
  const pixels = new Int32Array(frame.data.buffer);
  return {
    draw(context, second) {
      const pose = shot.at(second);
      if (isAtRest(pose)) return void context.drawImage(image, 0, 0);
      warp(pixels, grid, projectGrid(still, grid, pose));
      context.putImageData(frame, 0, 0);
    },
  };
}
