/**
 * A turning sphere. The surface position and light of every pixel are computed once, so that a
 * frame only looks up colors.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
import { clamp, smooth } from '../../motion.ts';
import type { Surface } from './surfaces.ts';

export type GlobePlan = {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly surface: Surface;
  /** Tilt of the axis to the side and towards the viewer, in radians. */
  readonly lean: number;
  readonly pitch: number;
  readonly sun: Direction;
  /** Turns per second and in the whole clip; the surface is only computed that far. */
  readonly speed: number;
  readonly turns: number;
};

type Direction = { readonly x: number; readonly y: number; readonly z: number };

type Globe = { draw(context: SKRSContext2D, second: number): void };

/** Larger spheres are computed with this many points and enlarged. */
const pointsMax = 70_000;
/** How far the atmosphere shines beyond the rim, in radii. */
const airReach = 1.22;
const cities: Color = [255, 190, 104];

export function createGlobe(plan: GlobePlan): Globe {
  const { x, y, radius, surface } = plan;
  const step = Math.max(1, (radius * 2) / Math.sqrt(pointsMax));
  const side = Math.ceil((radius * 2) / step);
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const image = context.createImageData(side, side);
  const points = pointsOf(plan, step, side);
  for (const [index, at] of points.pixel.entries()) image.data[at + 3] = points.alpha[index]!;

  // Runs for every point in every frame, so it uses integers and no calls.
  function turn(second: number): void {
    const { pixel, row, longitude, light, rim } = points;
    const { pixels, glow, width } = surface;
    const start = width * (0.5 + (second * plan.speed - plan.turns / 2) / surface.across);
    const [turned, last] = [Math.round(start), width - 1];
    const { data } = image;
    for (let index = 0; index < pixel.length; index += 1) {
      const column = longitude[index]! + turned;
      const from = (row[index]! + (column < 0 ? 0 : column > last ? last : column)) * 4;
      const lit = light[index]!;
      const own = glow && lit < 80 ? (glow[from]! * (80 - lit)) >> 7 : 0;
      const at = pixel[index]!;
      data[at] = ((pixels[from]! * lit + cities[0] * own) >> 8) + rim[at]!;
      data[at + 1] = ((pixels[from + 1]! * lit + cities[1] * own) >> 8) + rim[at + 1]!;
      data[at + 2] = ((pixels[from + 2]! * lit + cities[2] * own) >> 8) + rim[at + 2]!;
    }
    context.putImageData(image, 0, 0);
  }

  return {
    draw(target, second) {
      turn(second);
      target.drawImage(canvas, x - radius, y - radius, side * step, side * step);
    },
  };
}

/** For every point of the disc: its pixel, its position on the surface and its light. */
function pointsOf(plan: GlobePlan, step: number, side: number) {
  const { radius, surface, sun } = plan;
  const air = surface.air ?? [0, 0, 0];
  const count = side * side;
  const [pixel, row, longitude] = [0, 1, 2].map(() => new Int32Array(count)) as Ints;
  const light = new Uint16Array(count);
  const rim = new Uint8ClampedArray(count * 4);
  const alpha = new Uint8ClampedArray(count);
  const [cos, sin] = [Math.cos(plan.lean), Math.sin(plan.lean)];
  const [cosPitch, sinPitch] = [Math.cos(plan.pitch), Math.sin(plan.pitch)];
  let points = 0;
  for (let gridRow = 0; gridRow < side; gridRow += 1) {
    for (let column = 0; column < side; column += 1) {
      const right = ((column + 0.5) * step) / radius - 1;
      const down = ((gridRow + 0.5) * step) / radius - 1;
      const away = Math.hypot(right, down);
      const cover = clamp(((1 - away) * radius) / step + 0.5);
      if (cover === 0) continue;
      const near = Math.sqrt(Math.max(0, 1 - away * away));
      const leant = cos * down - sin * right;
      const along = cos * right + sin * down;
      const up = leant * cosPitch + near * sinPitch;
      const front = near * cosPitch - leant * sinPitch;
      const facing = right * sun.x + down * sun.y + near * sun.z;
      const lit = smooth(facing, { from: -0.12, to: 0.9 });
      pixel[points] = (gridRow * side + column) * 4;
      const latitude = Math.asin(clamp(up, -1, 1)) / Math.PI + 0.5;
      const line = Math.floor(clamp(latitude, 0, 0.9999) * surface.height);
      row[points] = line * surface.width;
      const turns = Math.atan2(along, front) / (Math.PI * 2) / surface.across;
      longitude[points] = Math.round(turns * surface.width);
      light[points] = 256 * (lit * (0.72 + 0.28 * near) + 0.012);
      const scattered = (1 - near) ** 3 * smooth(facing, { from: -0.3, to: 0.5 }) * 0.75;
      for (const [part, value] of air.entries()) rim[pixel[points]! + part] = value * scattered;
      alpha[points] = cover * 255;
      points += 1;
    }
  }
  const used = <Values extends Int32Array | Uint16Array | Uint8ClampedArray>(values: Values) =>
    values.subarray(0, points) as Values;
  return {
    ...{ pixel: used(pixel), row: used(row), longitude: used(longitude) },
    ...{ light: used(light), alpha: used(alpha), rim },
  };
}

type Ints = [Int32Array, Int32Array, Int32Array];

export function paintAir(context: SKRSContext2D, plan: GlobePlan): void {
  if (!plan.surface.air) return;
  const reach = plan.radius * airReach;
  const air = airOf(plan, plan.surface.air);
  context.drawImage(air, plan.x - reach, plan.y - reach, reach * 2, reach * 2);
}

function airOf({ sun }: GlobePlan, color: Color): Canvas {
  const side = 512;
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const middle = side / 2;
  const rim = middle / airReach;
  const inner = 1 - (airReach - 1) * 0.27;
  const ring = context.createRadialGradient(middle, middle, rim * inner, middle, middle, middle);
  ring.addColorStop(0, css(mix(color, white, 0.3), 0.85));
  ring.addColorStop(0.22, css(color, 0.42));
  ring.addColorStop(0.5, css(color, 0.12));
  ring.addColorStop(1, css(color, 0));
  context.fillStyle = ring;
  context.fillRect(0, 0, side, side);
  const [towardsX, towardsY] = [sun.x * middle, sun.y * middle];
  const day = context.createLinearGradient(
    ...[middle + towardsX, middle + towardsY],
    ...[middle - towardsX * 0.7, middle - towardsY * 0.7],
  );
  day.addColorStop(0, 'rgba(0,0,0,1)');
  day.addColorStop(1, 'rgba(0,0,0,0)');
  context.globalCompositeOperation = 'destination-in';
  context.fillStyle = day;
  context.fillRect(0, 0, side, side);
  return canvas;
}
