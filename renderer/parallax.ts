/**
 * A camera that moves in a still picture: what seems near moves more than what seems far. It starts
 * at rest on the picture itself, pixel for pixel, and never shows a tear or an empty edge.
 */
import { type Canvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import type { CameraMove } from './camera.ts';
import type { Plane } from './still/plane.ts';
import { isAtRest, shotOf } from './still/shot.ts';
import { lay, stillOf, valuesAtKnots } from './still/still.ts';
import { netOver, warp, warpVeiled } from './still/warp.ts';

export type ParallaxOptions = {
  readonly move: CameraMove;
  /** The moment of the last frame: the camera goes from rest at 0 to rest at this. */
  readonly lastSecond: number;
};

export type Parallax = {
  /** How near each part of the picture seems, from 0 to 1. */
  readonly depth: Plane;
  /** Lays the picture on the upper left corner, opaque, whatever the context's transform is. */
  draw(context: SKRSContext2D, second: number): void;
};

export type VeiledParallax = Parallax & {
  /** Replaces what the canvas has by the picture, each part as far as it is seen: from 0 to 1. */
  drawVeiled(context: SKRSContext2D, second: number, seen: Plane): void;
};

/** What is drawn is of the picture's size. */
export function createParallax(picture: Canvas, options: ParallaxOptions): VeiledParallax {
  const { width, height } = picture;
  const net = netOver({ width, height });
  const shot = shotOf(options, net.size);
  const still = stillOf(picture, net);
  const frame = new ImageData(width, height);
  const pixels = new Int32Array(frame.data.buffer);
  const shares = new Float32Array(net.columns * net.rows);
  return {
    depth: still.depth.plane,
    draw(context, second) {
      const pose = shot.at(second);
      if (isAtRest(pose)) return void context.drawImage(picture, 0, 0);
      warp(pixels, net, lay(still, net, pose));
      context.putImageData(frame, 0, 0);
    },
    drawVeiled(context, second, seen) {
      const laid = lay(still, net, shot.at(second));
      valuesAtKnots(still, seen, shares);
      warpVeiled(pixels, net, laid, shares);
      context.putImageData(frame, 0, 0);
    },
  };
}
