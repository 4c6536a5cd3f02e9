/** A pine with snow on its branches, tier above tier. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import type { Random } from '../../random.ts';

export type PineLook = {
  /** The foot of the trunk. */
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly green: Color;
  readonly snow: Color;
};

export function paintSnowyPine(context: SKRSContext2D, random: Random, pine: PineLook): void {
  const { x, y, height, green, snow } = pine;
  const tiers = height < 40 ? 4 : height < 160 ? 7 : 10;
  const wide = height * (0.2 + random() * 0.05);
  context.fillStyle = css(mix(green, [40, 26, 20], 0.5));
  context.fillRect(x - height * 0.018, y - height * 0.12, height * 0.036, height * 0.14);
  for (let tier = 0; tier < tiers; tier += 1) {
    const share = tier / tiers;
    const half = wide * (1 - share * 0.86) * (0.92 + random() * 0.16);
    const foot = y - height * (0.07 + share * 0.8);
    const top = foot - height * (tiers > 7 ? 0.22 : 0.3 - share * 0.1);
    context.fillStyle = css(mix(green, [0, 0, 0], 0.12 * (1 - share)));
    paintTier(context, { x, top, foot, half, droop: height * 0.028 });
    // Snow lies on the upper side only, and slides from the tips.
    context.fillStyle = css(mix(snow, green, 0.08 + random() * 0.1));
    const lying = { x: x - half * 0.06, top, foot: foot - (foot - top) * 0.42, half: half * 0.58 };
    paintTier(context, { ...lying, droop: -height * 0.02 });
  }
}

type Tier = {
  readonly x: number;
  readonly top: number;
  readonly foot: number;
  readonly half: number;
  /** How far the middle of the lower edge stands above the tips, or below when negative. */
  readonly droop: number;
};

function paintTier(context: SKRSContext2D, { x, top, foot, half, droop }: Tier): void {
  context.beginPath();
  context.moveTo(x, top);
  context.quadraticCurveTo(x + half * 0.35, foot - (foot - top) * 0.25, x + half, foot);
  context.quadraticCurveTo(x + half * 0.5, foot - droop * 0.2, x + half * 0.4, foot - droop);
  context.quadraticCurveTo(x, foot + droop * 0.6, x - half * 0.4, foot - droop);
  context.quadraticCurveTo(x - half * 0.5, foot - droop * 0.2, x - half, foot);
  context.quadraticCurveTo(x - half * 0.35, foot - (foot - top) * 0.25, x, top);
  context.fill();
}
