/**
 * A quarter of a city in perspective: boxes with roofs and windows along streets that run to one
 * point. From high up it is a view over roofs, from low down it is a street.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
import { clamp } from '../../motion.ts';
import { oneOf, type Random } from '../../random.ts';
import type { Light } from './building.ts';
import { type Facade, type Point, paintWall, polygon, type Wall } from './facade.ts';
import type { WindowLook } from './windows.ts';

/** How the eye stands in the street. Lengths of the world are halves of the street's width. */
export type View = {
  /** The point to which the street runs. */
  readonly x: number;
  readonly y: number;
  /** Pixels of one length, one length away. */
  readonly focal: number;
  /** How high the eye is above the ground. */
  readonly eye: number;
};

/** Right of the street's middle, above the ground, and away from the eye. */
export type Spot = { readonly across: number; readonly up: number; readonly away: number };

export const project = (view: View, { across, up, away }: Spot): Point => ({
  x: view.x + (view.focal * across) / away,
  y: view.y + (view.focal * (view.eye - up)) / away,
});

export type BoxLook = {
  readonly box: Box;
  readonly view: View;
  readonly look: WindowLook;
  readonly facade: Facade;
};

export type Box = {
  /** The wall along the street and the one behind; negative left of the street. */
  readonly inner: number;
  readonly outer: number;
  readonly near: number;
  readonly far: number;
  readonly up: number;
  /** 0, or the roof it stands on. */
  readonly down: number;
  readonly tone: Color;
  readonly lamp: number;
  /** Which of the window shapes it has. */
  readonly style: number;
};

/** The box's walls that can be seen, its roof, and what is lit in it. */
export function paintBox(context: SKRSContext2D, random: Random, options: BoxLook): void {
  const { box, view, look, facade } = options;
  const { light } = look;
  const spot = (across: number, up: number, away: number): Point =>
    project(view, { across, up, away });
  const tall = box.up - box.down;
  const rise = (up: number): number => box.down + tall * up;
  const columnsOf = (length: number): number =>
    Math.max(1, Math.round(Math.abs(length) * facade.columns));
  const rows = Math.max(1, Math.round(tall * facade.floors));
  // Left of the eye the right wall is seen, and the left one right of it.
  const faces = light.sunSide === Math.sign(box.inner) ? 0.1 : 1;
  const along: Wall = {
    at: (right, up) => spot(box.inner, rise(up), box.near + (box.far - box.near) * right),
    columns: columnsOf(box.far - box.near),
    ...{ rows, tall },
    color: toned(box.tone, light, faces),
  };
  const front: Wall = {
    at: (right, up) => spot(box.inner + (box.outer - box.inner) * right, rise(up), box.near),
    columns: columnsOf(box.outer - box.inner),
    ...{ rows, tall },
    color: toned(box.tone, light, 0.3),
  };
  for (const wall of [along, front]) {
    paintWall(context, random, { wall, look, facade, lamp: box.lamp, style: box.style });
  }
  if (view.eye <= box.up) return;
  context.fillStyle = css(toned(mix(box.tone, white, 0.1), light, 0.45));
  polygon(context, [
    spot(box.inner, box.up, box.near),
    spot(box.outer, box.up, box.near),
    spot(box.outer, box.up, box.far),
    spot(box.inner, box.up, box.far),
  ]);
}

function toned(tone: Color, light: Light, lit: number): Color {
  const inShade = mix(tone, light.shade, 0.3 + light.dark * 0.6);
  const inSun = mix(tone, light.sun, 0.45);
  return mix(mix(inShade, inSun, lit * light.warmth * 0.8), light.haze, light.hazy);
}

const tones: readonly [Color, ...Color[]] = [
  [186, 178, 168],
  [168, 108, 84],
  [208, 182, 142],
  [150, 146, 146],
  [186, 138, 108],
];

export type QuarterPlan = {
  /** How far the nearest and the farthest boxes stand. */
  readonly near: number;
  readonly far: number;
  readonly lamps: number;
  /** How many rows of boxes stand on either side of the street, and how high they are. */
  rowsAt(away: number): number;
  upAt(random: Random, place: { readonly away: number; readonly row: number }): number;
};

/** Boxes on both sides, in the order in which they are painted: what is behind comes first. */
export function planQuarter(random: Random, plan: QuarterPlan): Box[] {
  const boxes: Box[] = [];
  for (let near = plan.near; near < plan.far; ) {
    const length = (0.7 + random() * 0.9) * Math.max(1, near * 0.22);
    const rows = plan.rowsAt(near);
    const coarser = coarserAt(near);
    for (const side of [-1, 1] as const) {
      for (let row = 0; row < rows; row += 1) {
        const inner = side * (1.35 + row * 2.3 * coarser);
        const box: Box = {
          ...{ inner, near, down: 0 },
          outer: inner + side * (1.5 + random() * 0.45) * coarser,
          far: near + length,
          up: plan.upAt(random, { away: near, row }),
          tone: oneOf(random, tones),
          lamp: Math.floor(random() * plan.lamps),
          style: Math.floor(random() * 4),
        };
        boxes.push(box);
        if (near < 9 && random() < 0.6) boxes.push(onRoof(random, box));
      }
    }
    near += length + (random() < 0.5 ? 0.5 : 0.12) * Math.max(1, near * 0.2);
  }
  // Farther ones first; of a row the outer ones; what stands on a roof after the roof.
  const order = (box: Box): number => box.near + Math.abs(box.inner) * 1e-3 - box.down * 1e-5;
  return boxes.sort((one, other) => order(other) - order(one));
}

/** How many houses far away are painted as one. */
export const coarserAt = (away: number): number => clamp(away * 0.2, 1, 3);

/** A small house of machines on a roof. */
function onRoof(random: Random, box: Box): Box {
  const wide = box.outer - box.inner;
  const long = box.far - box.near;
  const from = 0.15 + random() * 0.4;
  return {
    ...box,
    inner: box.inner + wide * from,
    outer: box.inner + wide * (from + 0.25),
    near: box.near + long * 0.3,
    far: box.near + long * 0.7,
    down: box.up,
    up: box.up + 0.1 + random() * 0.12,
  };
}
