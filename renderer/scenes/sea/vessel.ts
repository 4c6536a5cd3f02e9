/** A sailing boat and a tall ship, painted once. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
import type { SceneContext } from '../scene.ts';

export type VesselKind = 'boat' | 'ship';

export type Vessel = {
  readonly image: Canvas;
  /** The waterline, as a share of the image height. */
  readonly waterline: number;
};

type VesselColors = {
  readonly hull: Color;
  readonly deck: Color;
  readonly sail: Color;
  readonly sailShade: Color;
  readonly rope: Color;
  readonly lamp: Color | null;
};

const waterline = 0.93;

export function vesselOf(scene: SceneContext, kind: VesselKind, tall: number): Vessel {
  const side = Math.ceil(tall * (kind === 'ship' ? 1.3 : 0.9));
  const image = createCanvas(side, Math.ceil(tall));
  const context = image.getContext('2d');
  context.scale(tall, tall);
  context.translate(side / tall / 2, 0);
  const colors = colorsOf(scene);
  if (kind === 'boat') paintBoat(context, colors);
  else paintShip(context, colors);
  return { image, waterline };
}

function colorsOf({ palette, brief }: SceneContext): VesselColors {
  const { low, middle, horizon, light, shade } = palette;
  const isDay = palette.time === 'day';
  const named = brief.colors[0];
  const paint: Color = named?.color === 'red' ? [186, 46, 40] : mix(shade, [122, 62, 34], 0.5);
  const dim = { dawn: 0.62, day: 0.1, dusk: 0.66, night: 0.8 }[palette.time];
  const dark = mix(middle, shade, 0.8);
  const sail = mix(white, dark, { dawn: 0.12, day: 0, dusk: 0.16, night: 0.5 }[palette.time]);
  return {
    hull: mix(paint, dark, dim),
    deck: mix(mix(paint, white, 0.35), dark, dim),
    sail: mix(sail, isDay ? light : horizon, isDay ? 0.2 : 0.3),
    sailShade: mix(mix(sail, low, 0.45), shade, isDay ? 0.08 : 0.3),
    rope: mix(dark, low, 0.2),
    lamp: isDay ? null : mix(light, [255, 190, 100], 0.5),
  };
}

/** Fills a closed shape; a third and fourth number of a point are the control point of a curve. */
function shape(context: SKRSContext2D, color: Color, points: readonly (readonly number[])[]): void {
  context.fillStyle = css(color);
  context.beginPath();
  for (const [index, [x, y, bendX, bendY]] of points.entries()) {
    if (index === 0) context.moveTo(x!, y!);
    else if (bendX === undefined) context.lineTo(x!, y!);
    else context.quadraticCurveTo(bendX, bendY!, x!, y!);
  }
  context.closePath();
  context.fill();
}

function line(
  context: SKRSContext2D,
  color: Color,
  points: readonly number[],
  width: number,
): void {
  context.strokeStyle = css(color);
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(points[0]!, points[1]!);
  for (let at = 2; at < points.length; at += 2) context.lineTo(points[at]!, points[at + 1]!);
  context.stroke();
}

function paintBoat(context: SKRSContext2D, colors: VesselColors): void {
  // The main sail behind the mast and the jib in front of it.
  shape(context, colors.sail, [
    [-0.02, 0.04],
    [-0.36, 0.8, -0.12, 0.5],
    [-0.02, 0.78, -0.18, 0.83],
  ]);
  shape(context, colors.sailShade, [
    [-0.02, 0.04],
    [-0.13, 0.8, -0.01, 0.5],
    [-0.02, 0.78],
  ]);
  shape(context, colors.sail, [
    [0.01, 0.12],
    [0.33, 0.8, 0.2, 0.46],
    [0.03, 0.76, 0.14, 0.74],
  ]);
  shape(context, colors.sailShade, [
    [0.01, 0.12],
    [0.03, 0.76],
    [0.13, 0.77, 0.11, 0.5],
  ]);
  line(context, colors.rope, [0, 0.01, 0, 0.86], 0.014);
  line(context, colors.rope, [-0.38, 0.81, 0.02, 0.8], 0.01);
  shape(context, colors.hull, [
    [-0.4, 0.845],
    [0.43, 0.83, 0, 0.87],
    [0.3, 0.97, 0.39, 0.93],
    [-0.33, 0.97, 0, 0.985],
  ]);
  shape(context, colors.deck, [
    [-0.4, 0.845],
    [0.43, 0.83, 0, 0.87],
    [0.415, 0.852, 0.42, 0.842],
    [-0.39, 0.866, 0, 0.892],
  ]);
  if (colors.lamp)
    shape(context, colors.lamp, [
      [-0.3, 0.82],
      [-0.275, 0.82],
      [-0.275, 0.845],
      [-0.3, 0.845],
    ]);
}

function paintShip(context: SKRSContext2D, colors: VesselColors): void {
  line(context, colors.rope, [0.36, 0.76, 0.62, 0.6], 0.012);
  for (const [x, top, wide] of [
    [-0.27, 0.14, 0.2],
    [0, 0.02, 0.25],
    [0.26, 0.1, 0.2],
  ] as const) {
    line(context, colors.rope, [x, top - 0.015, x, 0.84], 0.013);
    // Square sails, smaller towards the top.
    for (const [index, [from, to]] of [
      [top + 0.02, top + 0.18],
      [top + 0.2, top + 0.42],
      [top + 0.44, 0.72],
    ].entries()) {
      const half = (wide / 2) * (0.62 + index * 0.19);
      const sheet = [
        [x - half * 0.86, from!],
        [x + half * 0.86, from!],
        [x + half, to!, x + half * 1.16, (from! + to!) / 2],
        [x - half, to!, x, to! - 0.035],
        [x - half * 0.86, from!, x - half * 0.84, (from! + to!) / 2],
      ];
      shape(context, colors.sail, sheet);
      shape(context, colors.sailShade, [
        [x - half * 0.86, from!],
        [x - half * 0.36, from!],
        [x - half * 0.42, to! - 0.02, x - half * 0.24, (from! + to!) / 2],
        [x - half, to!],
        [x - half * 0.86, from!, x - half * 0.84, (from! + to!) / 2],
      ]);
      line(context, colors.rope, [x - half * 0.95, from!, x + half * 0.95, from!], 0.011);
    }
  }
  shape(context, colors.sail, [
    [0.6, 0.61],
    [0.3, 0.2, 0.4, 0.42],
    [0.38, 0.72, 0.36, 0.5],
  ]);
  for (const x of [-0.27, 0, 0.26]) line(context, colors.rope, [x, 0.06, x - 0.16, 0.8], 0.004);
  shape(context, colors.hull, [
    [-0.5, 0.68],
    [-0.36, 0.72],
    [-0.34, 0.78],
    [0.3, 0.8, 0, 0.82],
    [0.46, 0.74],
    [0.34, 0.98, 0.44, 0.9],
    [-0.4, 0.98, 0, 0.99],
    [-0.5, 0.68, -0.47, 0.85],
  ]);
  shape(context, colors.deck, [
    [-0.47, 0.83],
    [0.42, 0.83, 0, 0.87],
    [0.415, 0.848],
    [-0.466, 0.85, 0, 0.888],
  ]);
  if (!colors.lamp) return;
  for (const x of [-0.45, -0.4, -0.2, -0.08, 0.04, 0.16]) {
    const y = x < -0.3 ? 0.74 : 0.885;
    shape(context, colors.lamp, [
      [x, y],
      [x + 0.02, y],
      [x + 0.02, y + 0.022],
      [x, y + 0.022],
    ]);
  }
}
