/**
 * Estimates a depth map from one image without a model: the ground is at the bottom, parts that
 * differ from the border are in front. The map has no steep steps, so that an image warped by it
 * never tears.
 */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { smooth } from '../motion.ts';
import {
  blurred,
  borderDistance,
  dropUnsupported,
  fillHoles,
  guided,
  limitSlope,
  normalized,
  type Plane,
  planeOf,
  standUp,
} from './plane.ts';

/** Longest side of the map in pixels; finer detail would make it noisy. */
const longestSide = 160;
/** The steepest slope per pixel of the map: 14 pixels from far to near. */
const slopeMax = 0.07;

export type Depth = {
  readonly plane: Plane;
  readonly light: Plane;
};

export function depthOf(picture: Canvas): Depth {
  const { light, colors } = planesOf(picture);
  const apart = normalized(fillHoles(borderDistance([light, ...colors])));
  const front = dropUnsupported(
    planeOf(light, (at) => smooth(apart.values[at]!, { from: 0.1, to: 0.75 })),
    0.01,
  );
  const upright = standUp(front);
  const guess = planeOf(light, (at) => {
    return 0.72 * upright.values[at]! + 0.28 * front.values[at]!;
  });
  const relief = normalized(guided(guess, { guide: light, radius: 9, softness: 0.05 }));
  const gentle = blurred(blurred(limitSlope(relief, slopeMax), 2), 2);
  const flat = flatnessOf(light, colors);
  const plane = planeOf(light, (at) => {
    const down = Math.floor(at / light.width) / Math.max(1, light.height - 1);
    return gentle.values[at]! * (1 - flat) + (0.35 + 0.3 * down) * flat;
  });
  return { plane, light };
}

/** Brightness and two color differences, each from 0 to 1. */
function planesOf(picture: Canvas): { light: Plane; colors: [Plane, Plane] } {
  const scale = longestSide / Math.max(picture.width, picture.height);
  const width = Math.max(2, Math.round(picture.width * scale));
  const height = Math.max(2, Math.round(picture.height * scale));
  const context = createCanvas(width, height).getContext('2d', { alpha: false });
  context.imageSmoothingQuality = 'medium';
  context.drawImage(picture, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const part = (at: number, channel: number): number => data[at * 4 + channel]! / 255;
  const plane = (value: (red: number, green: number, blue: number) => number): Plane =>
    planeOf({ width, height }, (at) => value(part(at, 0), part(at, 1), part(at, 2)));
  return {
    light: plane((red, green, blue) => 0.3 * red + 0.59 * green + 0.11 * blue),
    colors: [
      plane((red, green) => 0.5 + (red - green) / 2),
      plane((red, green, blue) => 0.5 + (blue - (red + green) / 2) / 2),
    ],
  };
}

/** 1 when most of the image is one color, 0 for a photo. */
function flatnessOf(light: Plane, colors: readonly Plane[]): number {
  const counts = new Map<number, number>();
  for (let at = 0; at < light.values.length; at += 1) {
    const key = [light, ...colors].reduce(
      (sum, { values }) => sum * 32 + Math.floor(values[at]! * 31.99),
      0,
    );
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return smooth(Math.max(...counts.values()) / light.values.length, { from: 0.24, to: 0.42 });
}
