/**
 * The camera of a clip: one path that every layer follows according to its depth. Far layers move
 * little, near layers much. Layers ask for the margin they must paint beyond the frame.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { clamp, smooth } from './motion.ts';
import type { Point, Size } from './size.ts';

export type CameraMove = {
  /**
   * `zoom` enlarges all layers equally. `dolly` moves closer: near layers grow, the farthest does
   * not. `orbit` turns around the middle of the scene: near and far layers move in opposite
   * directions.
   */
  readonly kind: 'drift' | 'pan' | 'tilt' | 'zoom' | 'dolly' | 'orbit' | 'still';
  /** 1 is right, up or in; -1 is the opposite. */
  readonly direction: 1 | -1;
  /** 1 is normal, less is slow, more is fast. */
  readonly pace: number;
};

export type Camera = {
  readonly second: number;
  /** Offset of a layer in pixels. Depth 0 is far, 1 is near. */
  x(depth: number): number;
  y(depth: number): number;
  /** At least 1, so that a layer that covers the frame keeps covering it. */
  scale(depth: number): number;
  look(context: SKRSContext2D, depth: number, draw: () => void): void;
};

export type CameraPath = {
  at(second: number): Camera;
  /** Pixels that a layer must extend beyond each side of the frame, so that no edge shows. */
  margin(depth: number): Point;
};

/** The farthest the camera moves sideways, in frame heights, for a layer of depth 1. */
const reachMax = 0.34;
/** The closest the camera moves; closer shows the pixels of a layer. */
const closerMax = 0.3;
/** Even the farthest layer moves a little, or the sky would look fixed to the lens. */
const farShare = 0.1;
/** A turning camera moves the background, too; otherwise its move would hardly be visible. */
const farShareTurning = 0.3;

export function cameraPath(
  move: CameraMove,
  { size, seconds }: { readonly size: Size; readonly seconds: number },
): CameraPath {
  const { width, height } = size;
  // A longer clip moves further, but less than in proportion, which would look faster.
  const distance = move.kind === 'still' ? 0 : Math.sqrt(seconds / 5) * move.pace;
  const reach = Math.min(reachMax, 0.11 * distance);
  const closer = Math.min(closerMax, 0.07 * distance);
  const least = move.kind === 'pan' || move.kind === 'tilt' ? farShareTurning : farShare;
  const far = (depth: number): number => least + (1 - least) * depth;
  const sideways = { drift: 0.7, pan: 2.2, tilt: 0, zoom: 0, dolly: 0, orbit: 1.8, still: 0 };
  const closing = { drift: 0.8, pan: 0.3, tilt: 0.3, zoom: 3.2, dolly: 3.8, orbit: 0.6, still: 0 };

  const sideOf = (depth: number): number => {
    const seen = move.kind === 'orbit' ? far(depth) - 0.45 : far(depth);
    return Math.min(reachMax, reach * sideways[move.kind]) * seen * height;
  };
  const heightOf = (depth: number): number =>
    move.kind === 'tilt' ? Math.min(reachMax, reach * 1.5) * far(depth) * height : 0;
  // Moving towards a mountain does not enlarge the sky; only a zoom does.
  const closerOf = (depth: number): number =>
    Math.min(closerMax, closer * closing[move.kind]) * (move.kind === 'zoom' ? 1 : depth);

  return {
    margin: (depth) => ({
      x: Math.ceil(Math.abs(sideOf(depth))) + 2,
      y: Math.ceil(Math.abs(heightOf(depth))) + 2,
    }),
    at(second) {
      const passed = clamp(second / seconds);
      const share = smooth(passed, { from: 0, to: 1 }) * 0.6 + passed * 0.4;
      const way = (share * 2 - 1) * move.direction;
      // Only zoom and dolly can move out; every other move comes a little closer.
      const isOut = move.direction === -1 && (move.kind === 'zoom' || move.kind === 'dolly');
      const near = isOut ? 1 - share : share;
      const x = (depth: number): number => -way * sideOf(depth);
      const y = (depth: number): number => way * heightOf(depth);
      const scale = (depth: number): number => 1 + near * closerOf(depth);
      return {
        second,
        x,
        y,
        scale,
        look(context, depth, draw) {
          const enlarged = scale(depth);
          context.save();
          context.translate(width / 2, height * 0.54);
          context.scale(enlarged, enlarged);
          context.translate(x(depth) - width / 2, y(depth) - height * 0.54);
          draw();
          context.restore();
        },
      };
    },
  };
}
