/**
 * How near each part of a picture seems, guessed from one still without a model: the ground lies
 * at the foot, what differs from the picture's rim stands before it, what is sharp is near. Soft
 * enough everywhere that a picture moved by it bends and never tears.
 */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { smooth } from '../motion.ts';
import {
  blurred,
  filled,
  guided,
  type Plane,
  planeOf,
  rimDistance,
  spread,
  standing,
  supported,
  withoutCliffs,
} from './plane.ts';

/** The guess is made on a picture this long: finer detail would only make it restless. */
const longestSide = 160;
/** The steepest a depth may rise, for one pixel of that picture: 14 pixels from far to near. */
const steepest = 0.07;

export type Depth = {
  /** From 0, far, to 1, near. */
  readonly plane: Plane;
  /** The brightness of the same small picture, from 0 to 1. */
  readonly light: Plane;
};

export function depthOf(picture: Canvas): Depth {
  const { light, colors } = planesOf(picture);
  const apart = spread(filled(rimDistance([light, ...colors])));
  const front = supported(
    planeOf(light, (at) => smooth(apart.values[at]!, { from: 0.1, to: 0.75 })),
    0.01,
  );
  const sharp = spread(blurred(detailOf(light), 7));
  const upright = standing(front);
  const guess = planeOf(light, (at) => {
    return 0.66 * upright.values[at]! + 0.24 * front.values[at]! + 0.1 * sharp.values[at]!;
  });
  const relief = spread(guided(guess, { guide: light, radius: 9, softness: 0.05 }));
  const gentle = blurred(blurred(withoutCliffs(relief, steepest), 2), 2);
  const flat = flatnessOf(light, colors);
  const plane = planeOf(light, (at) => {
    const foot = Math.floor(at / light.width) / Math.max(1, light.height - 1);
    return gentle.values[at]! * (1 - flat) + (0.35 + 0.3 * foot) * flat;
  });
  return { plane, light };
}

/** Whether most of it is one plain color, as a page's, a chart's or a drawing's ground is. */
export function isPlain(picture: Canvas): boolean {
  const { light, colors } = planesOf(picture);
  return flatnessOf(light, colors) > 0.5;
}

/** Brightness and two differences of color, each from about 0 to 1. */
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

/** How much each pixel differs from its surroundings. */
function detailOf(light: Plane): Plane {
  const around = blurred(light, 1).values;
  return planeOf(light, (at) => Math.abs(light.values[at]! - around[at]!));
}

/** 1 for a page, a chart or a drawing, where most of the picture is one plain color; else 0. */
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
