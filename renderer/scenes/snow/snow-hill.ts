/** A hill under snow: soft shapes, light on the sun's side, the sky's color in its hollows. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, mix } from '../../color.ts';
import { paintSoft } from '../../elements/paint.ts';
import { spriteOf } from '../../elements/sprite.ts';
import { clamp, smooth } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';

export type SnowHillPlan = {
  readonly depth: number;
  /** Where its foot stands and how high it rises, as shares of the height. */
  readonly base: number;
  readonly rise: number;
  readonly stretch: number;
  readonly lit: Color;
  readonly shade: Color;
  /** What is before it in the air, and how much, from 0 to 1. */
  readonly haze: Color;
  readonly hazy: number;
  /** Where the light comes from, as a share of the width. */
  readonly sunX: number;
  /** Painted down to here for certain hidden by the next, in pixels; null for the frame's foot. */
  readonly hidden: number | null;
  /** How far what is painted on it stands above its edge, in pixels. */
  readonly above: number;
  /** Behind its edge, and on it. */
  paintBehind?(context: SKRSContext2D, edgeAt: (x: number) => number): void;
  paintOn?(context: SKRSContext2D, edgeAt: (x: number) => number): void;
};

export type SnowHill = {
  readonly depth: number;
  readonly left: number;
  readonly right: number;
  readonly highest: number;
  readonly lowest: number;
  edgeAt(x: number): number;
  draw(context: SKRSContext2D, camera: Camera): void;
};

const coarseness = 4;

export function createSnowHill(setting: SceneContext, plan: SnowHillPlan): SnowHill {
  const { size, camera, noise, random, unit } = setting;
  const { width, height } = size;
  const margin = camera.margin(plan.depth);
  const [left, right] = [-margin.x - 4, width + margin.x + 4];
  const [start, row] = [random() * 200, random() * 200];
  const side = Math.min(height, width * 1.25);
  const edgeAt = (x: number): number =>
    height * plan.base -
    side * plan.rise * noise.rough((x / side) * plan.stretch + start, row, 2) * 1.6;
  let [highest, lowest] = [Infinity, 0];
  for (let x = left; x <= right; x += 4 * unit) {
    highest = Math.min(highest, edgeAt(x));
    lowest = Math.max(lowest, edgeAt(x));
  }
  const covered = plan.hidden === null ? Infinity : plan.hidden + height * 0.06;
  const bottom = Math.min(covered, height + margin.y + 2);
  const box = { left, right, top: highest - plan.above - 2, bottom };
  const sprite = spriteOf(box, (context) => {
    plan.paintBehind?.(context, edgeAt);
    context.save();
    context.beginPath();
    context.moveTo(left, bottom);
    for (let x = left; x <= right + unit; x += 2 * unit) context.lineTo(x, edgeAt(x));
    context.lineTo(right, bottom);
    context.clip();
    const inside = { left, right, top: Math.floor(highest), bottom };
    context.drawImage(paintSnow(setting, plan, { box: inside, edgeAt }), left, inside.top);
    context.restore();
    plan.paintOn?.(context, edgeAt);
  });
  return {
    ...{ depth: plan.depth, left, right, highest, lowest, edgeAt },
    draw: (context, seen) => sprite.look(context, seen, plan.depth),
  };
}

type Snow = {
  readonly box: { left: number; top: number; right: number; bottom: number };
  edgeAt(x: number): number;
};

function paintSnow(setting: SceneContext, plan: SnowHillPlan, { box, edgeAt }: Snow) {
  const { size, noise, random, unit } = setting;
  const { height } = size;
  const area = { width: Math.ceil(box.right) - box.left, height: Math.ceil(box.bottom) - box.top };
  const start = random() * 100;
  const span = 24 * unit;
  const columns = Math.ceil(area.width / coarseness) + 2;
  const edges = Float32Array.from({ length: columns }, (_, column) =>
    edgeAt(box.left + (column - 0.5) * coarseness),
  );
  const sun = plan.sunX * size.width;
  return paintSoft(area, { coarseness, random, grain: 5 }, (px, py) => {
    const [x, y] = [px + box.left, py + box.top];
    const column = Math.round(px / coarseness + 0.5);
    const below = y - (edges[column] ?? y);
    const step = Math.round(span / coarseness);
    const slope =
      ((edges[column + step] ?? edges[columns - 1]!) - (edges[column - step] ?? edges[0]!)) /
      (span * 2);
    const side = clamp((sun - x) / (size.width * 0.3), -1, 1);
    const far = 1 / (0.25 + Math.max(0, below) / height);
    const drift = noise.rough((x / height) * 1.6 + start, far * 1.3, 3);
    const wave = noise.at((x / height) * 0.9 + start, far * 0.9 + 20);
    const rim = Math.exp(-Math.max(0, below) / (height * 0.05));
    const light = clamp(0.52 - slope * side * 1.1 + drift * 0.42 + wave * 0.3 + rim * 0.22);
    const snow = mix(plan.shade, plan.lit, smooth(light, { from: 0.05, to: 0.95 }));
    return mix(snow, plan.haze, plan.hazy);
  });
}
