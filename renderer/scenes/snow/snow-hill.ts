/** A hill under snow: soft shapes, lit by the sun, with the color of the sky in the hollows. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, mix } from '../../color.ts';
import { createLand, type Land, type LandPlan } from '../../elements/land.ts';
import type { Edges } from '../../elements/layer.ts';
import { paintSoftInto } from '../../elements/paint.ts';
import { clamp, smooth } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';

type SnowHillPlan = Pick<LandPlan, 'depth' | 'hidden' | 'above'> & {
  /** Where the foot is and how high the hill rises, as shares of the frame height. */
  readonly base: number;
  readonly rise: number;
  readonly stretch: number;
  readonly lit: Color;
  readonly shade: Color;
  /** The air in front of the hill and its strength, from 0 to 1. */
  readonly haze: Color;
  readonly hazy: number;
  readonly sunX: number;
  paintBehind?(context: SKRSContext2D, edgeAt: (x: number) => number): void;
  paintOn?(context: SKRSContext2D, edgeAt: (x: number) => number): void;
};

const coarseness = 4;

export function createSnowHill(scene: SceneContext, plan: SnowHillPlan): Land {
  const { size, noise, random } = scene;
  const [start, row] = [random() * 200, random() * 200];
  const side = Math.min(size.height, size.width * 1.25);
  const edgeAt = (x: number): number =>
    size.height * plan.base -
    side * plan.rise * noise.rough((x / side) * plan.stretch + start, row, 2) * 1.6;
  return createLand(scene, {
    ...{ depth: plan.depth, hidden: plan.hidden, above: plan.above ?? 0, edgeAt },
    paintBehind: (context) => plan.paintBehind?.(context, edgeAt),
    paint: (context, box) => paintSnow(context, scene, { ...plan, box, edgeAt }),
    paintOn: (context) => plan.paintOn?.(context, edgeAt),
  });
}

type Snow = SnowHillPlan & { readonly box: Edges; edgeAt(x: number): number };

function paintSnow(context: SKRSContext2D, scene: SceneContext, plan: Snow): void {
  const { size, noise, random, unit } = scene;
  const { height } = size;
  const { edgeAt } = plan;
  const start = random() * 100;
  const span = 24 * unit;
  const sun = plan.sunX * size.width;
  paintSoftInto(context, { box: plan.box, coarseness, random, grain: 5 }, (x, y) => {
    const below = Math.max(0, y - edgeAt(x));
    const slope = (edgeAt(x + span) - edgeAt(x - span)) / (span * 2);
    const side = clamp((sun - x) / (size.width * 0.3), -1, 1);
    const far = 1 / (0.25 + below / height);
    const drift = noise.rough((x / height) * 1.6 + start, far * 1.3, 3);
    const wave = noise.at((x / height) * 0.9 + start, far * 0.9 + 20);
    const rim = Math.exp(-below / (height * 0.05));
    const light = clamp(0.52 - slope * side * 1.1 + drift * 0.42 + wave * 0.3 + rim * 0.22);
    const snow = mix(plan.shade, plan.lit, smooth(light, { from: 0.05, to: 0.95 }));
    return mix(snow, plan.haze, plan.hazy);
  });
}
