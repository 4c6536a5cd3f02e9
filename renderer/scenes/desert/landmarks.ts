/** Landmarks of the desert: pyramids and cactuses. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import { createSprite, type Sprite } from '../../elements/sprite.ts';
import type { SceneContext } from '../scene.ts';

export type Stone = {
  readonly lit: Color;
  readonly shade: Color;
  readonly haze: Color;
  readonly sunSide: 1 | -1;
};

const pyramidPlaces = [
  { x: 0.74, wide: 0.3 },
  { x: 0.3, wide: 0.52 },
  { x: 0.56, wide: 0.42 },
] as const;

export function pyramidsOf({ size, unit }: SceneContext, base: number, stone: Stone): Sprite {
  const { width, height } = size;
  const side = Math.min(height, width * 0.9);
  const box = { left: 0, right: width, top: base - side * 0.36, bottom: base + 4 };
  return createSprite(box, (context) => {
    for (const [index, { x, wide }] of pyramidPlaces.entries()) {
      const [middle, half, tall] = [x * width, (wide * side) / 2, wide * side * 0.62];
      const ridge = middle + half * 0.2 * stone.sunSide * -1;
      const veil = 0.42 - index * 0.12;
      const face = (from: number, to: number, color: Color): void => {
        const fill = context.createLinearGradient(0, base - tall, 0, base);
        fill.addColorStop(0, css(mix(color, stone.haze, veil * 0.6)));
        fill.addColorStop(1, css(mix(color, stone.haze, veil + 0.3)));
        context.fillStyle = fill;
        context.beginPath();
        context.moveTo(middle, base - tall);
        context.lineTo(from, base);
        context.lineTo(to, base);
        context.fill();
      };
      const [left, right] =
        stone.sunSide === -1 ? [stone.lit, stone.shade] : [stone.shade, stone.lit];
      face(middle - half, ridge, left);
      face(ridge, middle + half, right);
      context.strokeStyle = css(stone.shade, 0.16);
      context.lineWidth = unit;
      context.beginPath();
      for (let course = 1; course < 22; course += 1) {
        const y = base - tall + (course / 22) * tall;
        const reach = course / 22;
        context.moveTo(middle - half * reach, y);
        context.lineTo(middle + (ridge - middle) * reach, y + unit);
        context.lineTo(middle + half * reach, y);
      }
      context.stroke();
    }
  });
}

export function paintCactus(
  context: SKRSContext2D,
  plan: { x: number; y: number; tall: number; lit: Color; shade: Color; side: 1 | -1 },
): void {
  const { x, y, tall, lit, shade, side } = plan;
  const thick = tall * 0.15;
  const arm = (way: number, from: number, high: number): void => {
    context.moveTo(x, y - tall * from);
    context.quadraticCurveTo(
      x + way * tall * 0.2,
      y - tall * from,
      x + way * tall * 0.21,
      y - tall * (from + 0.14),
    );
    context.lineTo(x + way * tall * 0.21, y - tall * (from + high));
  };
  const arms = (): void => {
    context.beginPath();
    arm(-1, 0.36, 0.34);
    arm(1, 0.46, 0.3);
  };
  const trunk = (): void => {
    context.beginPath();
    context.moveTo(x, y + tall * 0.02);
    context.lineTo(x, y - tall * 0.93);
  };
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const [draw, wide] of [
    [arms, thick * 0.66],
    [trunk, thick],
  ] as const) {
    context.strokeStyle = css(shade);
    context.lineWidth = wide;
    draw();
    context.stroke();
    context.save();
    context.translate(side * wide * 0.2, 0);
    context.strokeStyle = css(lit);
    context.lineWidth = wide * 0.42;
    draw();
    context.stroke();
    context.restore();
    context.strokeStyle = css(mix(shade, [0, 0, 0], 0.3), 0.5);
    context.lineWidth = Math.max(0.6, wide * 0.06);
    draw();
    context.stroke();
  }
}
