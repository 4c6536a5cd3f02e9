/**
 * How the camera moves in a still picture, from rest to rest. Unlike in a painted scene there is
 * nothing beyond the picture's edges: whatever goes sideways comes nearer too, by as much.
 */
import type { CameraMove } from '../camera.ts';
import { clamp } from '../motion.ts';
import type { Size } from '../size.ts';

/** Where the camera stands, as what it does to the picture. All 0: the picture itself. */
export type Pose = {
  /** How far all of it has moved to the right and down, in pixels. */
  readonly x: number;
  readonly y: number;
  /** How much further the nearest has moved than the farthest, in pixels. */
  readonly shiftX: number;
  readonly shiftY: number;
  /** How much larger all of it is, and how much more than that the nearest. */
  readonly zoom: number;
  readonly closer: number;
};

export type Shot = {
  at(second: number): Pose;
};

/** At an easy pace in five seconds, in parts of the frame's shorter side. */
const kinds: Record<CameraMove['kind'], Pose> = {
  drift: { x: 0, y: 0, shiftX: -0.055, shiftY: 0.012, zoom: 0.045, closer: 0.05 },
  pan: { x: -0.05, y: 0, shiftX: -0.06, shiftY: 0, zoom: 0.12, closer: 0.02 },
  tilt: { x: 0, y: 0.04, shiftX: 0, shiftY: 0.055, zoom: 0.11, closer: 0.02 },
  zoom: { x: 0, y: 0, shiftX: 0, shiftY: 0, zoom: 0.17, closer: 0.03 },
  dolly: { x: 0, y: 0, shiftX: 0, shiftY: 0.02, zoom: 0.06, closer: 0.16 },
  orbit: { x: 0, y: 0, shiftX: -0.1, shiftY: 0, zoom: 0.07, closer: 0.03 },
  still: { x: 0, y: 0, shiftX: 0, shiftY: 0, zoom: 0, closer: 0 },
};

/** Seconds the camera takes to get going, and to come to rest. */
const rampSeconds = 1.4;
/** A camera that sways turns back after so many seconds: a picture has room for one way only. */
const swaySeconds = 8;
/** Further than this and the guessed depth is found out. */
const distanceMax = 1.6;
/** What stays in its place when the camera moves aside, between far (0) and near (1). */
export const pivot = 0.45;
const sideShare = Math.max(pivot, 1 - pivot);
/** Leaving shows what is beyond the edges, of which little can be made up. */
const outShare = 0.3;

export function shotOf(
  { move, lastSecond }: { readonly move: CameraMove; readonly lastSecond: number },
  size: Size,
): Shot {
  const distance = Math.min(distanceMax, Math.sqrt(lastSecond / 5) * move.pace);
  const turnable = move.kind === 'zoom' || move.kind === 'dolly';
  const inwards = turnable && move.direction === -1 ? -outShare * distance : distance;
  const most = covered(scaled(kinds[move.kind], size, { aside: distance, inwards }), size);
  const direction = turnable ? 1 : move.direction;
  const sways = move.kind === 'drift' || move.kind === 'orbit';
  const turns = sways ? 1 + 2 * Math.floor(lastSecond / (swaySeconds * 1.5)) : 1;
  return {
    at(second) {
      const gone = glide(second, lastSecond);
      const aside = (sways ? Math.sin((gone * turns * Math.PI) / 2) : gone) * direction;
      const near = sways ? Math.sin((Math.min(1, gone * turns) * Math.PI) / 2) : gone;
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

/** Goes no further aside than its coming nearer leaves room for on either side. */
function covered(pose: Pose, { width, height }: Size): Pose {
  const room = Math.max(0, pose.zoom) / (1 + Math.max(0, pose.zoom)) / 2;
  const share = (way: number, side: number): number =>
    Math.min(1, (room * side) / Math.max(1e-6, way));
  const across = share(Math.abs(pose.x) + Math.abs(pose.shiftX) * sideShare, width);
  const down = share(Math.abs(pose.y) + Math.abs(pose.shiftY) * sideShare, height);
  return {
    ...pose,
    ...{ x: pose.x * across, shiftX: pose.shiftX * across },
    ...{ y: pose.y * down, shiftY: pose.shiftY * down },
  };
}

/** From 0 to 1: faster and faster, evenly, slower and slower. */
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

/** The same move as seen from another moment of it. */
export const since = (pose: Pose, start: Pose): Pose => ({
  x: pose.x - start.x,
  y: pose.y - start.y,
  shiftX: pose.shiftX - start.shiftX,
  shiftY: pose.shiftY - start.shiftY,
  zoom: (1 + pose.zoom) / (1 + start.zoom) - 1,
  closer: pose.closer - start.closer,
});

export const isAtRest = (pose: Pose): boolean => Object.values(pose).every((part) => part === 0);
