/**
 * A ridge of mountains or hills: an outline from noise, light on the sides that face the sun, snow
 * above a line, and mist at the foot.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, mix, white } from '../color.ts';
import { clamp, smooth } from '../motion.ts';
import type { Noise } from '../random.ts';
import type { SceneContext } from '../scenes/scene.ts';
import { createLand, type Land, type LandPlan, landSpan } from './land.ts';
import type { Edges } from './layer.ts';
import { paintSoftInto } from './paint.ts';

export type RidgePlan = Pick<LandPlan, 'depth' | 'hidden' | 'above'> & {
  /** Where the foot is and how high the ridge rises, as shares of the frame height. */
  readonly base: number;
  readonly rise: number;
  /** 0 is rolling hills, 1 is sharp peaks. */
  readonly sharp: number;
  /** How many shapes stand side by side within one frame height. */
  readonly stretch: number;
  readonly body: Color;
  readonly lit: Color;
  /** The mist at the foot and its strength, from 0 to 1. */
  readonly mist: Color;
  readonly misty: number;
  /** Snow lies above this line, a share of the frame height from the top; null for no snow. */
  readonly snowline: number | null;
  readonly sunX: number;
  /** Behind the ridge, on its edge. */
  paintTrees?(context: SKRSContext2D, ridge: Pick<Land, 'left' | 'right' | 'edgeAt'>): void;
  /** On its slopes. */
  paintOn?(context: SKRSContext2D, edgeAt: (x: number) => number): void;
};

const coarseness = 4;

export function createRidge(scene: SceneContext, plan: RidgePlan): Land {
  const edgeAt = outlineOf(scene, plan);
  return createLand(scene, {
    depth: plan.depth,
    hidden: plan.hidden,
    above: plan.above ?? 0,
    edgeAt,
    paintBehind: (context, span) => plan.paintTrees?.(context, { ...span, edgeAt }),
    paint: (context, box) => paintSlopes(context, scene, { ...plan, box, edgeAt }),
    paintOn: (context) => plan.paintOn?.(context, edgeAt),
  });
}

/** Computed once per pixel column, since the slopes read the edge many times. */
function outlineOf(scene: SceneContext, plan: RidgePlan): (x: number) => number {
  const { size, noise, random, unit } = scene;
  const { left, right } = landSpan(scene, plan.depth);
  const [start, row] = [random() * 200, random() * 200];
  const side = Math.min(size.height, size.width * 1.25);
  const step = Math.max(1, unit);
  const edge = Float32Array.from({ length: Math.ceil((right - left) / step) + 2 }, (_, index) => {
    const x = ((left + index * step) / side) * plan.stretch + start;
    const round = noise.rough(x, row, 5) + Math.abs(noise.at(x * 0.55, row + 3)) * 0.9;
    const up = round * (1 - plan.sharp) + peaksAt(noise, x * 0.8, row) * plan.sharp;
    return size.height * plan.base - side * plan.rise * up;
  });
  return (x) => {
    const at = clamp((x - left) / step, 0, edge.length - 1.001);
    const index = Math.floor(at);
    return edge[index]! + (edge[index + 1]! - edge[index]!) * (at - index);
  };
}

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

type RidgeSlopes = RidgePlan & { readonly box: Edges; edgeAt(x: number): number };

function paintSlopes(context: SKRSContext2D, scene: SceneContext, plan: RidgeSlopes): void {
  const { size, noise, random, unit } = scene;
  const { edgeAt } = plan;
  const start = random() * 100;
  const span = 9 * unit;
  const { snowLit, snowShade } = snowColors(scene, plan);
  paintSoftInto(context, { box: plan.box, coarseness, random, grain: 0 }, (x, y) => {
    const below = y - edgeAt(x);
    if (below < -coarseness * 2) return plan.body;
    const bend = noise.rough((x / size.height) * 5 + start, (y / size.height) * 4, 2);
    const from = x + bend * Math.min(below, size.height * 0.12) * 1.6;
    const slope = (edgeAt(from + span) - edgeAt(from - span)) / (span * 2);
    const side = clamp((plan.sunX * size.width - x) / (size.width * 0.25), -1, 1);
    const crag = noise.rough((x / size.height) * 13 + start, (y / size.height) * 9, 2);
    const near = Math.exp(-Math.max(0, below) / (size.height * 0.1));
    const face = slope * side * (0.06 + 0.72 * near);
    const facing = clamp(0.34 - face + crag * (0.4 + plan.sharp * 0.6));
    const rock = mix(plan.body, plan.lit, facing * (0.35 + 0.65 * near));
    const ground = snowy(rock, { y, facing, crag });
    return mix(ground, plan.mist, smooth(below, { from: 0, to: size.height * 0.3 }) * plan.misty);
  });

  function snowy(rock: Color, at: { y: number; facing: number; crag: number }): Color {
    if (plan.snowline === null) return rock;
    const line = size.height * (plan.snowline + at.crag * 0.1);
    const cover = smooth(at.y, { from: line + 14 * unit, to: line - 10 * unit });
    if (cover <= 0) return rock;
    const light = smooth(at.facing, { from: 0.2, to: 0.72 });
    return mix(rock, mix(snowShade, snowLit, light), cover * 0.95);
  }
}

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
