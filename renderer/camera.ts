/**
 * How the camera of a clip moves: one path, seen by every layer according to its depth. Far layers
 * move little and near ones much; what a layer must have painted beyond the frame is told before.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { clamp, smooth } from './motion.ts';
import type { Size } from './size.ts';

export type CameraMove = {
  /**
   * `zoom` enlarges all layers alike; `dolly` comes nearer, so that near layers grow and the
   * farthest stays as it is;
   * `orbit` turns around the middle of the scene, so that near and far move against each other.
   */
  readonly kind: 'drift' | 'pan' | 'tilt' | 'zoom' | 'dolly' | 'orbit' | 'still';
  /** Right, up or in; -1 is the other way. */
  readonly direction: 1 | -1;
  /** 1 is an easy pace; slow is less, fast is more. */
  readonly pace: number;
};

export type Camera = {
  /** The moment it is seen at. */
  readonly second: number;
  /** How far the clip has come, from 0 to 1, eased as the camera is. */
  readonly share: number;
  /** Where the layer's own place stands against the frame, in pixels. Depth 0 is far, 1 is near. */
  x(depth: number): number;
  y(depth: number): number;
  /** Never less than 1: a layer that covers the frame goes on covering it. */
  scale(depth: number): number;
  /** Draws one layer as the camera sees it. */
  look(context: SKRSContext2D, depth: number, draw: () => void): void;
};

export type CameraPath = {
  at(second: number): Camera;
  /** Pixels that a layer must reach beyond each side of the frame, so that no edge is ever seen. */
  margin(depth: number): { readonly x: number; readonly y: number };
};

/** The farthest the camera goes to either side, in frame heights for a layer of depth 1. */
const reachMax = 0.34;
/** How near it may come: more than this and a painted layer shows its pixels. */
const closerMax = 0.3;
/** Even the farthest layer takes a part, otherwise the sky looks glued to the glass. */
const farShare = 0.1;

export function cameraPath(
  move: CameraMove,
  { size, seconds }: { readonly size: Size; readonly seconds: number },
): CameraPath {
  const { width, height } = size;
  // A longer clip goes further, but not in proportion: the pace of a shot would seem to change.
  const distance = move.kind === 'still' ? 0 : Math.sqrt(seconds / 5) * move.pace;
  const reach = Math.min(reachMax, 0.11 * distance);
  const closer = Math.min(closerMax, 0.07 * distance);
  const far = (depth: number): number => farShare + (1 - farShare) * depth;
  const sideways = { drift: 0.7, pan: 1.5, tilt: 0, zoom: 0, dolly: 0, orbit: 1.3, still: 0 };
  const closing = { drift: 0.8, pan: 0.3, tilt: 0.3, zoom: 1.5, dolly: 2, orbit: 0.6, still: 0 };

  const sideOf = (depth: number): number => {
    const seen = move.kind === 'orbit' ? far(depth) - 0.45 : far(depth);
    return Math.min(reachMax, reach * sideways[move.kind]) * seen * height;
  };
  const heightOf = (depth: number): number =>
    move.kind === 'tilt' ? reach * 0.8 * far(depth) * height : 0;
  // Who walks towards a mountain does not come nearer to the sky: only a lens enlarges it.
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
      // Only zoom and dolly can go out: every other move comes a little nearer.
      const isOut = move.direction === -1 && (move.kind === 'zoom' || move.kind === 'dolly');
      const near = isOut ? 1 - share : share;
      const x = (depth: number): number => -way * sideOf(depth);
      const y = (depth: number): number => way * heightOf(depth);
      const scale = (depth: number): number => 1 + near * closerOf(depth);
      return {
        ...{ second, share, x, y, scale },
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
