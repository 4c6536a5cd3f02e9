/** Small houses of a village, and a castle: dark against the light, with lit windows at night. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import type { Random } from '../../random.ts';
import type { SceneContext } from '../scene.ts';

export type HouseLook = {
  readonly wall: Color;
  readonly roof: Color;
  readonly shade: Color;
  /** Null by day. */
  readonly lamp: Color | null;
  /** Snow on the roof, where there is any. */
  readonly snow: Color | null;
};

export type HousePlace = { readonly x: number; readonly y: number; readonly wide: number };

export function houseLook(
  { palette }: SceneContext,
  options: { near: number; snow: Color | null },
): HouseLook {
  const { low, middle, horizon, shade } = palette;
  const isDay = palette.time === 'day';
  const air = mix(low, horizon, 0.4);
  const dark = mix(middle, shade, 0.75);
  const dim = { dawn: 0.66, day: 0.12, dusk: 0.7, night: 0.84 }[palette.time];
  const seen = (color: Color): Color => mix(air, mix(color, dark, dim), options.near);
  return {
    wall: seen([198, 170, 138]),
    roof: seen([132, 66, 52]),
    shade: seen([112, 88, 74]),
    lamp: isDay ? null : [255, 208, 120],
    snow: options.snow,
  };
}

export function paintHouse(
  context: SKRSContext2D,
  random: Random,
  { x, y, wide, look }: HousePlace & { readonly look: HouseLook },
): void {
  const tall = wide * (0.5 + random() * 0.14);
  const gable = wide * (0.42 + random() * 0.12);
  const [left, right, eaves] = [x - wide / 2, x + wide / 2, y - tall];
  context.fillStyle = css(look.wall);
  context.fillRect(left, eaves, wide, tall + wide * 0.06);
  context.fillStyle = css(look.shade);
  context.fillRect(x + wide * 0.14, eaves, wide * 0.36, tall + wide * 0.06);
  const chimney = left + wide * (0.2 + random() * 0.1);
  context.fillRect(chimney, eaves - gable * 0.9, wide * 0.09, gable * 0.7);
  const roof = (lift: number): void => {
    context.beginPath();
    context.moveTo(left - wide * 0.08, eaves + wide * 0.03);
    context.lineTo(left + wide * 0.2, eaves - gable + lift);
    context.lineTo(right - wide * 0.2, eaves - gable + lift);
    context.lineTo(right + wide * 0.08, eaves + wide * 0.03);
    context.closePath();
  };
  roof(0);
  context.fillStyle = css(look.roof);
  context.fill();
  if (look.snow) {
    context.fillStyle = css(look.snow);
    context.beginPath();
    context.moveTo(left - wide * 0.09, eaves + wide * 0.015);
    context.quadraticCurveTo(
      left + wide * 0.02,
      eaves - gable,
      left + wide * 0.22,
      eaves - gable - wide * 0.05,
    );
    context.lineTo(right - wide * 0.22, eaves - gable - wide * 0.05);
    context.quadraticCurveTo(
      right - wide * 0.02,
      eaves - gable,
      right + wide * 0.09,
      eaves + wide * 0.015,
    );
    for (let bump = 4; bump >= 0; bump -= 1) {
      const at = left + (bump / 5) * wide;
      context.quadraticCurveTo(
        at + wide * 0.1,
        eaves + wide * (0.02 + random() * 0.06),
        at,
        eaves - wide * 0.03,
      );
    }
    context.fill();
    context.fillRect(chimney - wide * 0.01, eaves - gable * 0.96, wide * 0.11, wide * 0.04);
  }
  paintWindows(context, random, { left, eaves, wide, tall, look });
}

function paintWindows(
  context: SKRSContext2D,
  random: Random,
  plan: { left: number; eaves: number; wide: number; tall: number; look: HouseLook },
): void {
  const { left, eaves, wide, tall, look } = plan;
  for (const share of [0.16, 0.44, 0.74]) {
    const isLit = look.lamp !== null && random() < 0.8;
    context.fillStyle = css(isLit ? look.lamp! : mix(look.shade, [20, 24, 40], 0.5));
    context.fillRect(left + wide * share, eaves + tall * 0.28, wide * 0.12, tall * 0.34);
  }
}

export type CastlePlan = {
  readonly x: number;
  readonly y: number;
  readonly tall: number;
  readonly wall: Color;
  readonly lit: Color;
  readonly lamp: Color | null;
};

const towers = [
  [-0.5, 0.42, 0.1],
  [-0.3, 0.62, 0.12],
  [-0.06, 1, 0.15],
  [0.2, 0.7, 0.12],
  [0.42, 0.5, 0.11],
] as const;

/** Towers with pointed roofs on a crag. */
export function paintCastle(
  context: SKRSContext2D,
  { x, y, tall, wall, lit, lamp }: CastlePlan,
): void {
  context.save();
  context.translate(x, y);
  context.scale(tall, tall);
  context.fillStyle = css(wall);
  context.beginPath();
  context.moveTo(-1.1, 0.7);
  context.lineTo(-0.84, 0.26);
  context.lineTo(-0.74, 0.2);
  context.lineTo(-0.56, -0.12);
  context.lineTo(0.48, -0.12);
  context.lineTo(0.6, 0.1);
  context.lineTo(0.74, 0.16);
  context.lineTo(1.1, 0.7);
  context.fill();
  context.fillRect(-0.52, -0.3, 0.96, 0.3);
  for (let battlement = -0.5; battlement < 0.42; battlement += 0.07) {
    context.fillRect(battlement, -0.34, 0.036, 0.05);
  }
  for (const [at, high, wide] of towers) {
    const side = context.createLinearGradient(at - wide / 2, 0, at + wide / 2, 0);
    side.addColorStop(0, css(lit));
    side.addColorStop(0.6, css(wall));
    context.fillStyle = side;
    context.fillRect(at - wide / 2, -high * 0.72, wide, high * 0.72);
    context.beginPath();
    context.moveTo(at - wide * 0.62, -high * 0.7);
    context.lineTo(at, -high);
    context.lineTo(at + wide * 0.62, -high * 0.7);
    context.fill();
    if (!lamp) continue;
    context.fillStyle = css(lamp);
    context.fillRect(at - 0.012, -high * 0.6, 0.024, 0.05);
    context.fillRect(at - 0.012, -high * 0.36, 0.024, 0.045);
  }
  context.restore();
}
