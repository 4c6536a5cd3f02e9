/** A cabin or a village in the snow with lit windows and smoke. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, mix, white } from '../../color.ts';
import { paintCottage } from '../../elements/cottage.ts';
import { smooth, wrap } from '../../motion.ts';
import { addLight, glowOf, type SceneContext } from '../scene.ts';

type CabinsPlan = {
  readonly snow: Color;
  readonly village: boolean;
  edgeAt(x: number): number;
};

export type Cabins = {
  paint(context: SKRSContext2D): void;
  /** Draws smoke and flickering light with the camera of the hill. */
  draw(context: SKRSContext2D, camera: Camera): void;
};

export function createCabins(scene: SceneContext, plan: CabinsPlan): Cabins {
  const { size, random, palette, brief } = scene;
  const side = Math.min(size.height, size.width * 1.1);
  const middle = size.width * (plan.village ? 0.55 : 0.6);
  const count = plan.village ? 11 : 1;
  const houses = Array.from({ length: count }, (_, index) => {
    const row = index / Math.max(1, count - 1);
    const place = ((index * 0.618 + 0.2) % 1) - 0.5;
    const x = middle + (plan.village ? place * side * 0.82 : 0);
    const wide = side * (plan.village ? 0.055 + 0.035 * row : 0.17);
    return { x, y: plan.edgeAt(x) + side * (0.02 + row * 0.08), wide };
  });
  const chimneys: { readonly x: number; readonly y: number; readonly wide: number }[] = [];
  const glow = glowOf([255, 190, 100], 128);
  const gray = mix(mix(palette.horizon, palette.low, 0.5), white, palette.night ? 0.1 : 0.3);
  const smoke = glowOf(gray, 64);
  const puffs = Array.from({ length: 9 }, (_, index) => index / 9);
  const strength = { dawn: 0.35, day: 0, dusk: 0.45, night: 0.8 }[palette.time];
  const pace = brief.pace ** 0.5;
  const phase = random() * 9;

  return {
    paint(context) {
      for (const [index, house] of houses.entries()) {
        const chimney = paintCottage(context, scene, { ...house, roof: plan.snow });
        if (index % 3 === 0) chimneys.push({ ...chimney, wide: house.wide });
      }
    },
    draw(context, { second }) {
      for (const { x, y, wide } of chimneys) {
        for (const start of puffs) {
          const age = wrap(start + second * 0.11 * pace);
          const radius = wide * (0.08 + 0.34 * age);
          const px = x + wide * (0.5 * age ** 1.4 + Math.sin(age * 7 + x) * 0.05);
          const py = y - wide * (0.02 + 1.5 * age);
          const alpha = smooth(age, { from: 0, to: 0.12 }) * smooth(age, { from: 1, to: 0.2 });
          context.globalAlpha = 0.4 * alpha;
          context.drawImage(smoke, px - radius, py - radius, radius * 2, radius * 2);
        }
      }
      if (strength > 0) {
        addLight(context, () => {
          for (const [index, { x, y, wide }] of houses.entries()) {
            const turn = second + phase + index * 2.4;
            const flicker = 0.9 + 0.1 * Math.sin(turn * 3) * Math.sin(turn * 1.7);
            context.globalAlpha = 0.4 * strength * flicker;
            const [across, down] = [wide * 1.1, wide * 0.6];
            context.drawImage(glow, x - across, y - wide * 0.1 - down, across * 2, down * 2);
          }
        });
      }
      context.globalAlpha = 1;
    },
  };
}
