/** The sun, or at night the full moon with its seas. Painted once. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, white } from '../color.ts';
import { clamp, smooth } from '../motion.ts';
import { between } from '../random.ts';
import { addLight, glowOf, type SceneContext } from '../scenes/scene.ts';
import type { Point } from '../size.ts';
import { paintMask } from './paint.ts';

type SunPlan = Point & {
  readonly clearness: number;
};

const halos = [
  [3, 0.32],
  [1.7, 0.42],
] as const;
/**
 * The widest halo is painted into the sky image, since its movement with the clouds is invisible.
 */
const veil = { times: 7, alpha: 0.2 };

type Range = { readonly from: number; readonly to: number };

/** The place of the sun or the moon in shares of the frame. It is low at dawn and at dusk. */
export function placeSun(
  { palette, random }: SceneContext,
  { x, y, lift }: { x: Range; y: Range; lift: { readonly day: number; readonly night: number } },
): Point {
  const higher = { dawn: 0, day: lift.day, dusk: 0, night: lift.night }[palette.time];
  return { x: between(random, x), y: between(random, y) - higher };
}

const radiusOf = ({ size, palette }: SceneContext): number =>
  Math.min(size.height, size.width * 1.2) * (palette.night ? 0.046 : 0.052);
const strengthOf = ({ palette }: SceneContext, clearness: number): number =>
  (palette.night ? 0.62 : 1) * (0.25 + 0.75 * clearness);

export function createSun(scene: SceneContext, plan: SunPlan): (context: SKRSContext2D) => void {
  const { size, palette } = scene;
  const radius = radiusOf(scene);
  const halo = haloOf(scene, radius, plan.clearness);
  // Thick clouds hide the disc and leave only a brighter area.
  const disc = plan.clearness < 0.25 ? null : palette.night ? moonOf(scene, radius) : null;
  const [x, y] = [plan.x * size.width, plan.y * size.height];
  const isSun = !palette.night && plan.clearness >= 0.25;
  return (context) => {
    addLight(context, () => {
      context.drawImage(halo, x - halo.width / 2, y - halo.height / 2);
    });
    if (isSun) {
      context.globalAlpha = plan.clearness;
      context.fillStyle = css(mix(palette.light, white, 0.6));
      context.beginPath();
      context.arc(x, y, radius, 0, Math.PI * 2);
      context.fill();
      context.globalAlpha = 1;
    } else if (disc) {
      context.globalAlpha = 0.4 + 0.6 * plan.clearness;
      context.drawImage(disc, x - radius * 1.1, y - radius * 1.1, radius * 2.2, radius * 2.2);
      context.globalAlpha = 1;
    }
  };
}

/** Paints the halo onto a sky image whose top left corner is given in pixels of the frame. */
export function drawWideHalo(
  context: SKRSContext2D,
  scene: SceneContext,
  plan: SunPlan & { readonly left: number; readonly top: number },
): void {
  const { size, palette } = scene;
  const reach = radiusOf(scene) * veil.times;
  const [x, y] = [plan.x * size.width - plan.left, plan.y * size.height - plan.top];
  context.save();
  context.globalCompositeOperation = 'lighter';
  context.globalAlpha = veil.alpha * strengthOf(scene, plan.clearness);
  context.drawImage(glowOf(palette.horizon, 512), x - reach, y - reach, reach * 2, reach * 2);
  context.restore();
}

function haloOf(scene: SceneContext, radius: number, clearness: number): Canvas {
  const reach = Math.ceil(radius * halos[0][0]);
  const context = createCanvas(reach * 2, reach * 2).getContext('2d');
  context.globalCompositeOperation = 'lighter';
  for (const [times, alpha] of halos) {
    const side = radius * times;
    context.globalAlpha = alpha * strengthOf(scene, clearness);
    const glow = glowOf(scene.palette.light, 256);
    context.drawImage(glow, reach - side, reach - side, side * 2, side * 2);
  }
  return context.canvas;
}

function moonOf({ palette, noise, random }: SceneContext, radius: number): Canvas {
  const side = Math.max(24, Math.ceil(radius * 2.2 * 1.5));
  const [startX, startY] = [random() * 50, random() * 50];
  const color = mix(palette.light, white, 0.4);
  return paintMask({ width: side, height: side }, { coarseness: 1, color }, (x, y) => {
    const [across, down] = [((x / side) * 2 - 1) * 1.1, ((y / side) * 2 - 1) * 1.1];
    const edge = clamp((1 - Math.hypot(across, down)) * side * 0.45 + 0.5);
    const rough = noise.rough(across * 1.5 + startX, down * 1.5 + startY, 4);
    return edge * clamp(0.98 - smooth(rough, { from: 0.02, to: 0.3 }) * 0.3);
  });
}
