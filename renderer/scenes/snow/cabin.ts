/** A cabin or a village in the snow with lit windows and smoke. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { smooth, wrap } from '../../motion.ts';
import { between } from '../../random.ts';
import type { Point } from '../../size.ts';
import { addLight, glowOf, type SceneContext } from '../scene.ts';

type CabinsPlan = {
  readonly snow: Color;
  readonly village: boolean;
  edgeAt(x: number): number;
};

export type Cabins = ReturnType<typeof createCabins>;

export function createCabins(scene: SceneContext, plan: CabinsPlan) {
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
    paint(context: SKRSContext2D): void {
      for (const [index, house] of houses.entries()) {
        const chimney = paintCottage(context, scene, { ...house, roof: plan.snow });
        if (index % 3 === 0) chimneys.push({ ...chimney, wide: house.wide });
      }
    },
    /** Draws smoke and flickering light with the camera of the hill. */
    draw(context: SKRSContext2D, { second }: Camera): void {
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

const lamp: Color = [255, 190, 96];

type CottageLook = Point & {
  readonly wide: number;
  readonly roof: Color;
};

function paintCottage(
  context: SKRSContext2D,
  scene: SceneContext,
  { x, y, wide, roof: cover }: CottageLook,
): { x: number; y: number } {
  const { palette, random } = scene;
  const isDark = palette.time !== 'day';
  const wall = mix(mix([96, 66, 52], palette.shade, 0.45), palette.low, 0.12);
  const tall = wide * between(random, { from: 0.5, to: 0.62 });
  const roof = wide * between(random, { from: 0.42, to: 0.56 });
  const half = wide / 2;
  const chimney = { x: x + half * 0.44, y: y - tall - roof * 0.98 };
  context.fillStyle = css(mix(wall, palette.shade, 0.35));
  context.fillRect(chimney.x - wide * 0.05, chimney.y, wide * 0.1, roof * 0.7);
  context.fillStyle = css(cover);
  context.fillRect(chimney.x - wide * 0.06, chimney.y - wide * 0.03, wide * 0.12, wide * 0.045);
  context.fillStyle = css(wall);
  context.beginPath();
  context.moveTo(x - half * 0.88, y);
  context.lineTo(x - half * 0.88, y - tall);
  context.lineTo(x, y - tall - roof * 0.9);
  context.lineTo(x + half * 0.88, y - tall);
  context.lineTo(x + half * 0.88, y);
  context.fill();
  const shade = mix(cover, palette.middle, 0.4);
  paintRoof(context, { x, y: y - tall, half, roof, cover, shade });
  for (const [across, down] of [
    [-0.42, 0.62],
    [0.42, 0.62],
    [0, 1.16],
  ] as const) {
    const side = wide * (down > 1 ? 0.13 : 0.17);
    const [left, top] = [x + across * half - side / 2, y - tall * down - side / 2];
    if (isDark) {
      addLight(context, () => {
        context.globalAlpha = 0.5;
        const reach = side * 2.6;
        const [glowX, glowY] = [left + side / 2 - reach, top + side / 2 - reach];
        context.drawImage(glowOf(lamp, 64), glowX, glowY, reach * 2, reach * 2);
      });
    }
    context.fillStyle = css(
      isDark ? mix(lamp, [255, 236, 190], random() * 0.6) : mix(wall, palette.high, 0.6),
    );
    context.fillRect(left, top, side, side * 1.1);
    context.fillStyle = css(mix(wall, palette.shade, 0.4));
    context.fillRect(left + side * 0.45, top, side * 0.1, side * 1.1);
    context.fillRect(left, top + side * 0.5, side, side * 0.1);
  }
  context.fillStyle = css(cover);
  context.beginPath();
  context.ellipse(x, y + wide * 0.02, half * 1.1, wide * 0.07, 0, 0, Math.PI * 2);
  context.fill();
  return chimney;
}

type CottageRoof = Point & {
  readonly half: number;
  readonly roof: number;
  readonly cover: Color;
  readonly shade: Color;
};

function paintRoof(context: SKRSContext2D, { x, y, half, roof, cover, shade }: CottageRoof): void {
  const thick = roof * 0.2;
  for (const [side, color] of [
    [-1, cover],
    [1, shade],
  ] as const) {
    context.fillStyle = css(color);
    context.beginPath();
    context.moveTo(x, y - roof * 1.06);
    context.lineTo(x + side * half * 1.12, y + roof * 0.1);
    context.quadraticCurveTo(
      x + side * half * 1.1,
      y + thick,
      x + side * half * 0.94,
      y + thick * 0.7,
    );
    context.lineTo(x, y - roof * 1.06 + thick * 1.5);
    context.fill();
  }
}
