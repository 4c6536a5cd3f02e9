/**
 * Shades land: noise serves as its height, slopes that face the sun are lit and others are dark.
 * The caller clips to the outline first.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, mix } from '../color.ts';
import { clamp } from '../motion.ts';
import type { SceneContext } from '../scenes/scene.ts';
import type { Edges } from './layer.ts';
import { paintSoft } from './paint.ts';

type ReliefPlan = {
  readonly body: Color;
  readonly lit: Color;
  /** The color at the bottom of the box, and its strength from 0 to 1. */
  readonly foot: Color;
  readonly fade: number;
  readonly grain: number;
  readonly side: number;
  /** How much taller than wide the shapes are; rock is upright. */
  readonly upright?: number;
  topAt?(x: number): number;
};

const coarseness = 3;

export function paintRelief(
  context: SKRSContext2D,
  scene: SceneContext,
  { box, ...plan }: ReliefPlan & { readonly box: Edges },
): void {
  const { noise, random } = scene;
  const [left, top] = [Math.floor(box.left), Math.floor(box.top)];
  const size = { width: Math.ceil(box.right) - left, height: Math.ceil(box.bottom) - top };
  const [startX, startY] = [random() * 200, random() * 200];
  const upright = plan.upright ?? 0.6;
  // Computed once per column instead of once per point.
  const tops = Float32Array.from({ length: Math.ceil(size.width / coarseness) + 2 }, (_, column) =>
    plan.topAt ? plan.topAt((column - 0.5) * coarseness + left) - top : 0,
  );
  const step = 0.16;
  const image = paintSoft(size, { coarseness, random, grain: 0 }, (px, py) => {
    const x = (px / plan.grain) * 1 + startX;
    const y = ((py / plan.grain) * 1) / (1 + upright) + startY;
    const bend = noise.at(x * 0.6 + 9, y * 0.6) * 0.6;
    const from = noise.rough(x + bend - step, y + step * 0.7, 3);
    const to = noise.rough(x + bend + step, y - step * 0.7, 3);
    const below = Math.max(0, py - tops[Math.round(px / coarseness + 0.5)]!);
    if (below <= 0 && py + coarseness * 2 < tops[Math.round(px / coarseness + 0.5)]!)
      return plan.body;
    const near = Math.exp(-below / (size.height * 0.5));
    const light = clamp(0.3 + (from - to) * plan.side * -1.3 + near * 0.25);
    const share = clamp(py / size.height) ** 1.4 * plan.fade;
    return mix(mix(plan.body, plan.lit, light), plan.foot, share);
  });
  context.drawImage(image, left, top);
}
