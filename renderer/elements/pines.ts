/**
 * Pines and firs: filled in large numbers as silhouettes, or painted singly with light and snow.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../color.ts';
import type { Random } from '../random.ts';
import type { Point } from '../size.ts';

type PinePlace = Point & {
  readonly tall: number;
};

/** Tiers of triangles on a trunk, all in one path. */
function addPine(context: SKRSContext2D, random: Random, { x, y, tall }: PinePlace): void {
  const tiers = Math.max(4, Math.min(9, Math.round(tall / 7)));
  const half = tall * (0.17 + random() * 0.06);
  context.rect(x - tall * 0.022, y - tall * 0.08, tall * 0.044, tall * 0.11);
  for (let tier = 1; tier <= tiers; tier += 1) {
    const share = tier / tiers;
    const [top, bottom] = [(tier - 1.6) / tiers, share * 0.94];
    const reach = half * share ** 0.85 * (0.8 + random() * 0.4);
    context.moveTo(x, y - tall * (1 - Math.max(0, top)));
    context.lineTo(x + reach, y - tall * (1 - bottom));
    context.lineTo(x - reach * (0.82 + random() * 0.3), y - tall * (1 - bottom));
  }
}

type WoodPlan = {
  readonly from: number;
  readonly to: number;
  /** Average distance between two trees, and their heights, in pixels. */
  readonly gap: number;
  readonly tall: { readonly from: number; readonly to: number };
  density(x: number): number;
  groundAt(x: number): number;
};

export function fillWood(
  context: SKRSContext2D,
  random: Random,
  color: Color,
  plan: WoodPlan,
): void {
  context.fillStyle = css(color);
  context.beginPath();
  for (let x = plan.from; x < plan.to; x += plan.gap * (0.5 + random())) {
    const size = random();
    if (random() > plan.density(x)) continue;
    const tall = plan.tall.from + (plan.tall.to - plan.tall.from) * size ** 1.5;
    addPine(context, random, { x, y: plan.groundAt(x) + tall * 0.04, tall });
  }
  context.fill();
}

export type PineLook = {
  readonly dark: Color;
  readonly lit: Color;
  readonly snow: { readonly lit: Color; readonly shade: Color } | null;
  /** -1 is lit from the left, 1 from the right. */
  readonly side: 1 | -1;
};

export function paintPine(
  context: SKRSContext2D,
  random: Random,
  { x, y, tall, look }: PinePlace & { readonly look: PineLook },
): void {
  const tiers = Math.max(6, Math.round(7 + tall / 60));
  context.fillStyle = css(mix(look.dark, [40, 26, 18], 0.4));
  context.fillRect(x - tall * 0.02, y - tall * 0.14, tall * 0.04, tall * 0.16);
  for (let tier = tiers; tier >= 1; tier -= 1) {
    const share = tier / tiers;
    const top = y - tall * (1 - (share - 1.25 / tiers) * 0.9);
    const bottom = y - tall * (1 - share * 0.92);
    const half = tall * 0.25 * share ** 0.9 * (0.9 + random() * 0.2);
    tierShape(context, random, { x, top: Math.max(top, y - tall), bottom, half });
    const across = context.createLinearGradient(x - half, 0, x + half, 0);
    const [left, right] = look.side === -1 ? [look.lit, look.dark] : [look.dark, look.lit];
    across.addColorStop(0, css(left));
    across.addColorStop(0.55, css(mix(look.dark, look.lit, 0.2)));
    across.addColorStop(1, css(right));
    context.fillStyle = across;
    context.fill();
    if (look.snow) paintSnow(context, random, { x, top, bottom, half, look });
  }
}

type Tier = {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  readonly half: number;
};

function tierShape(context: SKRSContext2D, random: Random, { x, top, bottom, half }: Tier): void {
  const teeth = 7;
  context.beginPath();
  context.moveTo(x, top);
  context.quadraticCurveTo(x + half * 0.4, (top + bottom) / 2, x + half, bottom);
  for (let tooth = 1; tooth <= teeth; tooth += 1) {
    const at = x + half - (tooth / teeth) * half * 2;
    const lift = (bottom - top) * (0.1 + random() * 0.14);
    context.lineTo(at + half / teeth, bottom - lift);
    context.lineTo(at, bottom + (random() - 0.5) * (bottom - top) * 0.1);
  }
  context.quadraticCurveTo(x - half * 0.4, (top + bottom) / 2, x, top);
}

function paintSnow(
  context: SKRSContext2D,
  random: Random,
  { x, top, bottom, half, look }: Tier & { readonly look: PineLook },
): void {
  const { lit, shade } = look.snow!;
  for (const side of [-1, 1] as const) {
    context.fillStyle = css(side === look.side ? lit : shade);
    context.beginPath();
    context.moveTo(x, top);
    context.quadraticCurveTo(
      x + side * half * 0.38,
      (top + bottom) / 2,
      x + side * half * 0.96,
      bottom - 1,
    );
    const bumps = 3;
    for (let bump = 1; bump <= bumps; bump += 1) {
      const share = 1 - bump / bumps;
      const deep = (bottom - top) * (0.3 + random() * 0.22) * (0.4 + share);
      const along = top + (bottom - top) * share ** 0.8;
      const reach = x + side * half * share * 0.9;
      context.quadraticCurveTo(
        reach + side * half * 0.14,
        along + deep * 1.2,
        reach,
        along + deep * 0.5,
      );
    }
    context.closePath();
    context.fill();
  }
}
