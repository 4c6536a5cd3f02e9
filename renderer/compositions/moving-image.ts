/**
 * A camera that moves over a still image, or from one image to another. It starts at rest on the
 * first and ends at rest on the last, both pixel for pixel, and never shows an edge.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { CameraMove } from '../camera.ts';
import { clamp, smooth } from '../motion.ts';

type MoveOptions = {
  readonly move: CameraMove;
  /** The time of the last frame. The camera is at rest at 0 and at this time. */
  readonly lastSecond: number;
};

type MovingImage = { draw(context: SKRSContext2D, second: number): void };

/** Movement of the image in shares of its sides, and its enlargement. All 0 is at rest. */
type Pose = { readonly x: number; readonly y: number; readonly zoom: number };

/** At normal pace over five seconds. */
const kinds: Record<CameraMove['kind'], Pose> = {
  drift: { x: -0.012, y: 0.006, zoom: 0.07 },
  pan: { x: -0.06, y: 0, zoom: 0.13 },
  tilt: { x: 0, y: 0.055, zoom: 0.12 },
  zoom: { x: 0, y: 0, zoom: 0.18 },
  dolly: { x: 0, y: 0.01, zoom: 0.16 },
  orbit: { x: -0.04, y: 0, zoom: 0.1 },
  still: { x: 0, y: 0, zoom: 0 },
};

/** Seconds to accelerate, and to slow down. */
const rampSeconds = 1.4;
const distanceMax = 1.6;
/** Moving out shows the mirrored margin, which is small. */
const outShare = 0.3;
const marginShare = 0.08;
/** Duration of a change between two images, as a share of the clip and in seconds. */
const changeShare = 0.42;
const changeSeconds = { least: 1.2, most: 4 };

export function createMovingImage(image: Canvas, options: MoveOptions): MovingImage {
  const poseAt = posesOf(options);
  const draw = drawing(image);
  return { draw: (context, second) => draw(context, poseAt(second)) };
}

/** Both images have the same size. The last one comes to rest as the first one has left it. */
export function createTransition(
  { first, last }: { readonly first: Canvas; readonly last: Canvas },
  options: MoveOptions,
): MovingImage {
  const { lastSecond } = options;
  const poseAt = posesOf(options);
  const end = poseAt(lastSecond);
  const [drawFirst, drawLast] = [drawing(first), drawing(last)];
  const { least, most } = changeSeconds;
  const duration = Math.min(lastSecond, clamp(lastSecond * changeShare, least, most));
  const from = (lastSecond - duration) / 2;
  return {
    draw(context, second) {
      const pose = poseAt(second);
      const changed = smooth(second, { from, to: from + duration });
      if (changed < 1) drawFirst(context, pose);
      if (changed === 0) return;
      context.globalAlpha = changed;
      drawLast(context, { x: pose.x - end.x, y: pose.y - end.y, zoom: end.zoom - pose.zoom });
      context.globalAlpha = 1;
    },
  };
}

function posesOf({ move, lastSecond }: MoveOptions): (second: number) => Pose {
  const distance = Math.min(distanceMax, Math.sqrt(lastSecond / 5) * move.pace);
  const { x, y, zoom } = kinds[move.kind];
  const isZoom = move.kind === 'zoom' || move.kind === 'dolly';
  const inwards = isZoom && move.direction === -1 ? -outShare * distance : distance;
  const aside = isZoom ? Math.max(0, inwards) : distance * move.direction;
  return (second) => {
    const share = glide(second, lastSecond);
    return { x: x * aside * share, y: y * aside * share, zoom: zoom * inwards * share };
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

function drawing(image: Canvas): (context: SKRSContext2D, pose: Pose) => void {
  const { width, height } = image;
  const padded = mirrored(image);
  return (context, { x, y, zoom }) => {
    if (x === 0 && y === 0 && zoom === 0) return void context.drawImage(image, 0, 0);
    const scale = 1 + zoom;
    const within = (share: number): number => clamp(share, -Math.abs(zoom) / 2, Math.abs(zoom) / 2);
    context.save();
    context.translate(width * (0.5 + within(x)), height * (0.5 + within(y)));
    context.scale(scale, scale);
    context.drawImage(padded, -padded.width / 2, -padded.height / 2);
    context.restore();
  };
}

function mirrored(image: Canvas): Canvas {
  const { width, height } = image;
  const [left, top] = [Math.ceil(width * marginShare), Math.ceil(height * marginShare)];
  const canvas = createCanvas(width + left * 2, height + top * 2);
  const context = canvas.getContext('2d', { alpha: false });
  for (const column of [-1, 0, 1]) {
    for (const row of [-1, 0, 1]) {
      const [flipX, flipY] = [column === 0 ? 1 : -1, row === 0 ? 1 : -1];
      context.setTransform(flipX, 0, 0, flipY, left + width / 2, top + height / 2);
      context.drawImage(image, (column * flipX - 0.5) * width, (row * flipY - 0.5) * height);
    }
  }
  return canvas;
}
