/**
 * One ridge of mountains or hills, painted once: its outline, light on the sides that face the sun,
 * snow above a line, and mist at its foot.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { type Color, mix, white } from '../color.ts';
import { clamp, smooth } from '../motion.ts';
import type { Noise } from '../random.ts';
import type { SceneContext } from '../scenes/scene.ts';
import { paintSoft } from './paint.ts';
import { drawSoft } from './soft.ts';
import { spriteOf } from './sprite.ts';

export type RidgePlan = {
  readonly depth: number;
  /** Where its foot stands and how high it rises, as shares of the height. */
  readonly base: number;
  readonly rise: number;
  /** From 0 for rolling hills to 1 for sharp peaks. */
  readonly sharp: number;
  /** How many of its shapes stand side by side in a frame's height. */
  readonly stretch: number;
  readonly body: Color;
  readonly lit: Color;
  /** The mist it fades into further down, and how much of it, from 0 to 1. */
  readonly mist: Color;
  readonly misty: number;
  /** Above it, as a share of the height from the top, lies snow; null for none. */
  readonly snowline: number | null;
  /** Where the sun stands, as a share of the width. */
  readonly sunX: number;
  /** Below it the next ridge hides this one, in pixels; null for the frame's foot. */
  readonly hidden: number | null;
  /** Painted over it with the same edge, as trees. */
  paint?(context: SKRSContext2D, ridge: RidgeShape): void;
  /** How far what is painted over it stands above its edge, in pixels. */
  readonly above?: number;
};

export type RidgeShape = {
  readonly left: number;
  readonly right: number;
  readonly highest: number;
  readonly lowest: number;
  /** Where the land begins, in pixels from the frame's top. */
  edgeAt(x: number): number;
};

export type Ridge = RidgeShape & {
  readonly depth: number;
  draw(context: SKRSContext2D, camera: Camera): void;
};

const coarseness = 4;

export function createRidge(setting: SceneContext, plan: RidgePlan): Ridge {
  const { size, camera, unit } = setting;
  const { height } = size;
  const margin = camera.margin(plan.depth);
  const shape = shapeOf(setting, plan);
  const covered = plan.hidden === null ? Infinity : plan.hidden + height * 0.05;
  const bottom = Math.min(covered, height + margin.y + 2);
  const above = plan.above ?? 0;
  const box = { left: shape.left, right: shape.right, top: shape.highest - above - 2, bottom };
  const sprite = spriteOf(box, (context) => {
    plan.paint?.(context, shape);
    context.beginPath();
    context.moveTo(shape.left, bottom);
    for (let x = shape.left; x <= shape.right + unit; x += unit) context.lineTo(x, shape.edgeAt(x));
    context.lineTo(shape.right, bottom);
    context.clip();
    const inside = { ...box, top: shape.highest };
    context.drawImage(
      paintSlopes(setting, plan, { shape, box: inside }),
      box.left,
      Math.floor(inside.top),
    );
  });
  // The farthest hardly move: they may go by whole pixels, which costs much less.
  const isFar = plan.depth < 0.12;
  return {
    ...shape,
    depth: plan.depth,
    draw(context, seen) {
      if (!isFar) return sprite.look(context, seen, plan.depth);
      drawSoft(context, seen, {
        picture: sprite.picture,
        x: sprite.left,
        y: sprite.top,
        depth: plan.depth,
      });
    },
  };
}

function shapeOf(setting: SceneContext, plan: RidgePlan): RidgeShape {
  const { size, camera, noise, random, unit } = setting;
  const { width, height } = size;
  const margin = camera.margin(plan.depth).x;
  const [left, right] = [-margin - 4, width + margin + 4];
  const [start, row] = [random() * 200, random() * 200];
  const side = Math.min(height, width * 1.25);
  const rise = side * plan.rise;
  const step = Math.max(1, unit);
  const edge = Float32Array.from({ length: Math.ceil((right - left) / step) + 2 }, (_, index) => {
    const x = ((left + index * step) / side) * plan.stretch + start;
    const round = noise.rough(x, row, 5) + Math.abs(noise.at(x * 0.55, row + 3)) * 0.9;
    const peaked = peaksAt(noise, x * 0.8, row);
    return height * plan.base - rise * (round * (1 - plan.sharp) + peaked * plan.sharp);
  });
  return {
    ...{ left, right },
    highest: edge.reduce((one, other) => Math.min(one, other)),
    lowest: edge.reduce((one, other) => Math.max(one, other)),
    edgeAt(x) {
      const at = clamp((x - left) / step, 0, edge.length - 1.001);
      const index = Math.floor(at);
      return edge[index]! + (edge[index + 1]! - edge[index]!) * (at - index);
    },
  };
}

/** Sharp on top and steep below: every octave adds its own creases. */
function peaksAt(noise: Noise, x: number, row: number): number {
  let [sum, weight, scale] = [0, 0.62, 1];
  for (let octave = 0; octave < 5; octave += 1) {
    const crease = 1 - Math.abs(noise.at(x * scale + octave * 13.7, row + octave * 5.1)) * 1.5;
    sum += weight * crease * Math.abs(crease);
    weight *= octave === 0 ? 0.42 : 0.5;
    scale *= 2.1;
  }
  return sum + 0.28 * noise.at(x * 0.4, row + 31);
}

type Slopes = {
  readonly shape: RidgeShape;
  readonly box: { left: number; top: number; right: number; bottom: number };
};

function paintSlopes(setting: SceneContext, plan: RidgePlan, { shape, box }: Slopes) {
  const { size, noise, random, unit } = setting;
  const [left, top] = [box.left, Math.floor(box.top)];
  const area = { width: Math.ceil(box.right) - left, height: Math.ceil(box.bottom) - top };
  const start = random() * 100;
  const reach = size.height * 0.3;
  const span = 9 * unit;
  const { snowLit, snowShade } = snowColors(setting, plan);
  const columns = Math.ceil(area.width / coarseness) + 2;
  const tops = Float32Array.from({ length: columns }, (_, column) =>
    shape.edgeAt(left + (column - 0.5) * coarseness),
  );
  return paintSoft(area, { coarseness, random, grain: 0 }, (px, py) => {
    const [x, y] = [px + left, py + top];
    const edge = tops[Math.round(px / coarseness + 0.5)] ?? box.top;
    const below = y - edge;
    if (below < -coarseness * 2) return plan.body;
    // Faces run down from the edge, aslant and broken.
    const bend = noise.rough((x / size.height) * 5 + start, (y / size.height) * 4, 2);
    const from = x + bend * Math.min(below, size.height * 0.12) * 1.6;
    const slope = (shape.edgeAt(from + span) - shape.edgeAt(from - span)) / (span * 2);
    const side = clamp((plan.sunX * size.width - x) / (size.width * 0.25), -1, 1);
    const crag = noise.rough((x / size.height) * 13 + start, (y / size.height) * 9, 2);
    const near = Math.exp(-Math.max(0, below) / (size.height * 0.1));
    const face = slope * side * (0.06 + 0.72 * near);
    const facing = clamp(0.34 - face + crag * (0.4 + plan.sharp * 0.6));
    const rock = mix(plan.body, plan.lit, facing * (0.35 + 0.65 * near));
    const ground = snowy(rock, { x, y, facing, crag });
    const share = smooth(below, { from: 0, to: reach }) * plan.misty;
    return mix(ground, plan.mist, share);
  });

  function snowy(rock: Color, at: { x: number; y: number; facing: number; crag: number }): Color {
    if (plan.snowline === null) return rock;
    const line = size.height * (plan.snowline + at.crag * 0.1);
    const cover = smooth(at.y, { from: line + 14 * unit, to: line - 10 * unit });
    if (cover <= 0) return rock;
    const light = smooth(at.facing, { from: 0.2, to: 0.72 });
    return mix(rock, mix(snowShade, snowLit, light), cover * 0.95);
  }
}

/** Snow has no color of its own: it takes that of the light, and of the sky in its shadows. */
function snowColors({ palette }: SceneContext, plan: RidgePlan) {
  const { horizon, low, middle, light } = palette;
  const warm = mix(mix(light, white, 0.3), horizon, palette.time === 'day' ? 0.05 : 0.35);
  return {
    snowLit: palette.night
      ? mix(mix(low, white, 0.4), plan.body, 0.25)
      : mix(warm, plan.body, 0.06),
    snowShade: mix(mix(low, middle, 0.55), mix(plan.body, white, 0.3), palette.night ? 0.5 : 0.35),
  };
}
