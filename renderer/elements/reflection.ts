/**
 * Calm water that reflects the scene behind it: upside down, smeared, in rows that sway against
 * each other.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../color.ts';
import { clamp } from '../motion.ts';
import type { DrawSeen, SceneContext } from '../scenes/scene.ts';
import { edgesOf } from './layer.ts';

type ReflectionPlan = {
  readonly depth: number;
  readonly top: number;
  readonly far: Color;
  readonly near: Color;
  readonly bright: number;
  /** Draws the reflected scene in coordinates of the frame, without the camera. */
  paint(context: SKRSContext2D): void;
};

const rowsCount = 34;
/** Pixels per stored pixel. Ripples blur the reflection, so it needs little resolution. */
const coarse = { across: 2, down: 5 };

export function createReflection(scene: SceneContext, plan: ReflectionPlan): DrawSeen {
  const { unit, random } = scene;
  const edges = edgesOf(scene, { ...plan, bottom: scene.size.height });
  const sway = Math.ceil(10 * unit);
  const left = edges.left - sway;
  const wide = edges.right + sway - left;
  const tall = edges.bottom - edges.top;
  const mirrored = mirror(scene, plan, { left, wide, tall });
  const phases = Array.from({ length: rowsCount }, () => random() * Math.PI * 2);
  const rowTop = (row: number): number => tall * (row / rowsCount) ** 1.5;

  return (context, camera) => {
    camera.look(context, plan.depth, () => {
      // Rows overlap by a pixel, so that no line shows between two.
      for (let row = 0; row < rowsCount; row += 1) {
        const from = Math.floor(rowTop(row));
        const rows = Math.min(tall - from, Math.ceil(rowTop(row + 1)) - from + 2);
        const nearness = (row + 1) / rowsCount;
        const phase = phases[row]! * 0.3 + row * 0.9;
        const shift = Math.sin(camera.second * (1.6 - nearness * 0.7) + phase) * sway * nearness;
        const y = edges.top + from;
        context.drawImage(mirrored, 0, from, wide, rows, left + shift, y, wide, rows);
      }
    });
  };
}

type Strip = { readonly left: number; readonly wide: number; readonly tall: number };

function mirror({ unit }: SceneContext, plan: ReflectionPlan, { left, wide, tall }: Strip): Canvas {
  const small = createCanvas(
    Math.ceil(wide / coarse.across),
    Math.max(2, Math.ceil(tall / coarse.down)),
  );
  const down = small.getContext('2d');
  down.scale(1 / coarse.across, -1 / coarse.down);
  down.translate(-left, -plan.top);
  // Flipped at the shore and squeezed, since low waves reflect light from higher up.
  down.translate(0, plan.top);
  down.scale(1, 0.8);
  down.translate(0, -plan.top);
  plan.paint(down);

  const context = createCanvas(wide, tall).getContext('2d', { alpha: false });
  const depth = context.createLinearGradient(0, 0, 0, tall);
  depth.addColorStop(0, css(plan.far));
  depth.addColorStop(0.25, css(mix(plan.far, plan.near, 0.5)));
  depth.addColorStop(1, css(plan.near));
  context.fillStyle = depth;
  context.fillRect(0, 0, wide, tall);
  context.globalAlpha = plan.bright;
  context.imageSmoothingQuality = 'high';
  context.drawImage(small, 0, 0, small.width * coarse.across, small.height * coarse.down);
  const into = context.createLinearGradient(0, 0, 0, tall);
  into.addColorStop(0, css(plan.near, 0.1));
  into.addColorStop(1, css(plan.near, clamp(0.9 - plan.bright * 0.4)));
  context.globalAlpha = 1;
  context.fillStyle = into;
  context.fillRect(0, 0, wide, tall);
  context.fillStyle = css(mix(plan.far, [255, 255, 255], 0.3), 0.35);
  context.fillRect(0, 0, wide, Math.max(1, unit));
  return context.canvas;
}
