/** A strip of land across the frame with an uneven upper edge, painted once. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import type { SceneContext } from '../scenes/scene.ts';
import { createSprite, drawSoft, type Edges } from './layer.ts';

export type LandPlan = {
  readonly depth: number;
  /** Below this line, in pixels, nearer land hides the strip; null for the nearest strip. */
  readonly hidden: number | null;
  /** How far objects on the land rise above its edge, in pixels. */
  readonly above?: number;
  edgeAt(x: number): number;
  /** Paints behind the land, for example trees on its edge. */
  paintBehind?(context: SKRSContext2D, span: LandSpan): void;
  paint(context: SKRSContext2D, box: Edges): void;
  paintOn?(context: SKRSContext2D): void;
};

export type LandSpan = { readonly left: number; readonly right: number };

export type Land = ReturnType<typeof createLand>;

/** Land farther than this hardly moves, so it is drawn at whole pixels, which costs less. */
const farDepth = 0.12;

/** How far a strip of land extends beyond the frame to both sides, in pixels of the frame. */
export function landSpan({ size, camera }: SceneContext, depth: number): LandSpan {
  const margin = camera.margin(depth).x + 4;
  return { left: -margin, right: size.width + margin };
}

export function createLand(scene: SceneContext, plan: LandPlan) {
  const { size, camera, unit } = scene;
  const { depth, edgeAt } = plan;
  const span = landSpan(scene, depth);
  const { left, right } = span;
  let [highest, lowest] = [Infinity, 0];
  for (let x = left; x <= right; x += unit) {
    highest = Math.min(highest, edgeAt(x));
    lowest = Math.max(lowest, edgeAt(x));
  }
  const covered = plan.hidden === null ? Infinity : plan.hidden + size.height * 0.06;
  const bottom = Math.min(covered, size.height + camera.margin(depth).y + 2);
  const top = highest - (plan.above ?? 0) - 2;
  const sprite = createSprite({ left, right, top, bottom }, (context) => {
    plan.paintBehind?.(context, span);
    context.save();
    context.beginPath();
    addLand(context, { left, right, bottom }, edgeAt);
    context.clip();
    plan.paint(context, { left, right, top: highest, bottom });
    context.restore();
    plan.paintOn?.(context);
  });
  return {
    depth,
    left,
    right,
    /** The highest and the lowest point of the edge, in pixels from the top of the frame. */
    highest,
    lowest,
    edgeAt,
    draw(context: SKRSContext2D, view: Camera) {
      if (depth > farDepth) return sprite.look(context, view, depth);
      drawSoft(context, view, { image: sprite.image, x: sprite.left, y: sprite.top, depth });
    },
  };
}

export function addLand(
  context: SKRSContext2D,
  { left, right, bottom }: LandSpan & { readonly bottom: number },
  edgeAt: (x: number) => number,
): void {
  context.moveTo(left, bottom);
  for (let x = left; x < right; x += 1) context.lineTo(x, edgeAt(x));
  context.lineTo(right, edgeAt(right));
  context.lineTo(right, bottom);
}
