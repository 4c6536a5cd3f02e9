/** A small house under snow, with lit windows and a chimney. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../color.ts';
import { between } from '../random.ts';
import { addLight, glowOf, type SceneContext } from '../scenes/scene.ts';

const lamp: Color = [255, 190, 96];

type CottageLook = {
  readonly x: number;
  readonly y: number;
  readonly wide: number;
  readonly roof: Color;
};

/** Returns the top of the chimney. */
export function paintCottage(
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

type CottageRoof = {
  readonly x: number;
  readonly y: number;
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
