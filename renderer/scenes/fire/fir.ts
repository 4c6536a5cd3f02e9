/** A fir as a silhouette: boughs that droop from a straight stem, lit a little on one side. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../../color.ts';
import type { Random } from '../../random.ts';

export type Fir = {
  readonly x: number;
  readonly base: number;
  readonly height: number;
  readonly color: Color;
  readonly light: Color;
  readonly lightSide: 1 | -1;
};

export function paintFir(context: SKRSContext2D, random: Random, fir: Fir): void {
  const { x, base, height, lightSide } = fir;
  const wide = height * (0.17 + random() * 0.06);
  const tiers = 11;
  const addSide = (side: number): void => {
    for (let tier = 0; tier < tiers; tier += 1) {
      const up = tier / tiers;
      const reach = wide * (1 - up) ** 0.85 * (0.75 + random() * 0.4);
      const y = base - height * (0.08 + up * 0.9);
      context.lineTo(x + side * reach, y + height * 0.05 * (1 - up));
      context.lineTo(x + side * reach * 0.42, y - height * 0.012);
    }
    context.lineTo(x, base - height);
  };
  const round = context.createLinearGradient(x - lightSide * wide, 0, x + lightSide * wide, 0);
  round.addColorStop(0, css(fir.color));
  round.addColorStop(0.5, css(fir.color));
  round.addColorStop(1, css(fir.light));
  context.fillStyle = round;
  context.beginPath();
  context.moveTo(x, base);
  addSide(-1);
  context.lineTo(x, base);
  addSide(1);
  context.lineTo(x, base);
  context.rect(x - wide * 0.07, base - height * 0.1, wide * 0.14, height * 0.12);
  context.fill();
}
