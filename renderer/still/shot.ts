/**
 * Camera moves in a still image, from rest to rest. There is nothing beyond the image's edges, so a
 * sideways move also zooms in far enough to stay inside.
 */
import type { CameraMove } from '../camera.ts';
import { clamp } from '../motion.ts';
import type { Size } from '../size.ts';

/** The camera position, as its effect on the image. All 0 is the unchanged image. */
export type Pose = {
  /** Movement of the whole image to the right and down, in pixels. */
  readonly x: number;
  readonly y: number;
  /** Additional movement of the nearest relative to the farthest parts, in pixels. */
  readonly shiftX: number;
  readonly shiftY: number;
  /** Enlargement of the whole image, and additional enlargement of the nearest parts. */
  readonly zoom: number;
  readonly closer: number;
};

type Shot = {
  at(second: number): Pose;
};

/** At normal pace over five seconds, in shares of the frame's shorter side. */
const kinds: Record<CameraMove['kind'], Pose> = {
  drift: { x: 0, y: 0, shiftX: -0.055, shiftY: 0.012, zoom: 0.045, closer: 0.05 },
  pan: { x: -0.05, y: 0, shiftX: -0.06, shiftY: 0, zoom: 0.12, closer: 0.02 },
  tilt: { x: 0, y: 0.04, shiftX: 0, shiftY: 0.055, zoom: 0.11, closer: 0.02 },
  zoom: { x: 0, y: 0, shiftX: 0, shiftY: 0, zoom: 0.17, closer: 0.03 },
  dolly: { x: 0, y: 0, shiftX: 0, shiftY: 0.02, zoom: 0.06, closer: 0.16 },
  orbit: { x: 0, y: 0, shiftX: -0.1, shiftY: 0, zoom: 0.07, closer: 0.03 },
  still: { x: 0, y: 0, shiftX: 0, shiftY: 0, zoom: 0, closer: 0 },
};

/** Seconds to accelerate, and to slow down. */
const rampSeconds = 1.4;
/** A swaying camera reverses after this time, since the image offers little space. */
const swaySeconds = 8;
/** Beyond this distance, errors of the estimated depth become visible. */
const distanceMax = 1.6;
/** The depth that stays in place when the camera moves sideways; 0 is far, 1 is near. */
export const pivot = 0.45;
const sideShare = Math.max(pivot, 1 - pivot);
/** Zooming out shows the mirrored margin, which is small. */
const outShare = 0.3;

export function shotOf(
  { move, lastSecond }: { readonly move: CameraMove; readonly lastSecond: number },
  size: Size,
): Shot {
  const distance = Math.min(distanceMax, Math.sqrt(lastSecond / 5) * move.pace);
  const isZoom = move.kind === 'zoom' || move.kind === 'dolly';
  const inwards = isZoom && move.direction === -1 ? -outShare * distance : distance;
  const most = limited(scaled(kinds[move.kind], size, { aside: distance, inwards }), size);
  const direction = isZoom ? 1 : move.direction;
  const sways = move.kind === 'drift' || move.kind === 'orbit';
  const swings = sways ? 1 + 2 * Math.floor(lastSecond / (swaySeconds * 1.5)) : 1;
  return {
    at(second) {
      const progress = glide(second, lastSecond);
      const aside = (sways ? Math.sin((progress * swings * Math.PI) / 2) : progress) * direction;
      const near = sways ? Math.sin((Math.min(1, progress * swings) * Math.PI) / 2) : progress;
      return {
        x: most.x * aside,
        y: most.y * aside,
        shiftX: most.shiftX * aside,
        shiftY: most.shiftY * aside,
        zoom: most.zoom * near,
        closer: most.closer * near,
      };
    },
  };
}

function scaled(pose: Pose, size: Size, by: { aside: number; inwards: number }): Pose {
  const side = Math.min(size.width, size.height) * by.aside;
  return {
    ...{ x: pose.x * side, y: pose.y * side },
    ...{ shiftX: pose.shiftX * side, shiftY: pose.shiftY * side },
    ...{ zoom: pose.zoom * by.inwards, closer: pose.closer * by.inwards },
  };
}

/** Limits sideways movement to the space that zooming in provides. */
function limited(pose: Pose, { width, height }: Size): Pose {
  const space = Math.max(0, pose.zoom) / (1 + Math.max(0, pose.zoom)) / 2;
  const share = (way: number, side: number): number =>
    Math.min(1, (space * side) / Math.max(1e-6, way));
  const across = share(Math.abs(pose.x) + Math.abs(pose.shiftX) * sideShare, width);
  const down = share(Math.abs(pose.y) + Math.abs(pose.shiftY) * sideShare, height);
  return {
    ...pose,
    ...{ x: pose.x * across, shiftX: pose.shiftX * across },
    ...{ y: pose.y * down, shiftY: pose.shiftY * down },
  };
}

/** Eases from 0 to 1: accelerates, moves evenly, slows down. */
function glide(second: number, lastSecond: number): number {
  const ramp = Math.min(rampSeconds, lastSecond / 2);
  const way = lastSecond - ramp;
  const now = clamp(second, 0, lastSecond);
  if (ramp <= 0) return 0;
  if (now < ramp) return now ** 2 / (2 * ramp * way);
  const left = lastSecond - now;
  if (left < ramp) return 1 - left ** 2 / (2 * ramp * way);
  return (now - ramp / 2) / way;
}

/** A pose relative to another pose of the same move. */
export const relativeTo = (pose: Pose, start: Pose): Pose => ({
  x: pose.x - start.x,
  y: pose.y - start.y,
  shiftX: pose.shiftX - start.shiftX,
  shiftY: pose.shiftY - start.shiftY,
  zoom: (1 + pose.zoom) / (1 + start.zoom) - 1,
  closer: pose.closer - start.closer,
});

export const isAtRest = (pose: Pose): boolean => Object.values(pose).every((part) => part === 0);
