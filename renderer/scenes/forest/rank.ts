/** One rank of a wood: its trunks, the leaves above them and what grows at their feet. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import { paintFern, paintGrass, paintLeaves, paintLitter } from '../../elements/foliage.ts';
import { addLand } from '../../elements/land.ts';
import type { Edges } from '../../elements/layer.ts';
import { createLayer, edgesOf, type Layer } from '../../elements/layer.ts';
import { clamp } from '../../motion.ts';
import { between } from '../../random.ts';
import type { SceneContext } from '../scene.ts';
import { paintAnimal } from './animals.ts';
import { paintTrunk, type Trunk, type TrunkKind } from './trunk.ts';

export type Wood = {
  readonly kind: TrunkKind;
  readonly isAutumn: boolean;
  readonly isJungle: boolean;
  /** Where the light comes from, in pixels from the left. */
  readonly clearing: number;
  readonly mist: Color;
};

/** Layers of trunks from far to near: their depth, how many, how thick, and where they stand. */
export const ranks = [
  { depth: 0.14, count: 10, width: 30, base: 0.7, nearness: 0.34 },
  { depth: 0.45, count: 4, width: 52, base: 0.79, nearness: 0.62 },
  { depth: 0.8, count: 2, width: 118, base: 0.98, nearness: 0.95 },
] as const;

/** Leaves by the season, from those in shade to those in light. */
export function leafColors({ palette }: SceneContext, { isAutumn, mist }: Wood, nearness: number) {
  const lit: Color = isAutumn ? [226, 128, 40] : [120, 168, 62];
  const deep: Color = isAutumn ? [128, 44, 22] : [22, 62, 34];
  const dark = palette.night ? 0.72 : palette.time === 'day' ? 0.28 : 0.42;
  const seen = (color: Color, shade: number): Color =>
    mix(mix(mix(color, palette.low, 0.2), palette.shade, clamp(shade)), mist, (1 - nearness) * 0.7);
  return [
    seen(deep, dark + nearness * 0.35),
    seen(mix(deep, lit, 0.4), dark + nearness * 0.2),
    seen(mix(lit, palette.horizon, 0.12), dark + nearness * 0.08),
  ] as const;
}

export type Rank = (typeof ranks)[number];

const thicks: Record<TrunkKind, number> = { broad: 1, birch: 0.72, pine: 0.86, bamboo: 0.5 };

export const placeOf = ({ size }: SceneContext, { depth }: Rank) => ({
  ...{ depth, top: 0, bottom: size.height, tile: 22 },
  opaque: depth === ranks[0].depth,
});

type RankPlan = { readonly wood: Wood; readonly rank: Rank };

export const createRank = (setting: SceneContext, { wood, rank }: RankPlan): Layer =>
  createLayer(setting, placeOf(setting, rank), (context, edges) =>
    paintRank(context, setting, { wood, rank, edges }),
  );

type RankPaint = { readonly wood: Wood; readonly rank: Rank; readonly edges: Edges };

export function paintRank(
  context: SKRSContext2D,
  setting: SceneContext,
  { wood, rank, edges }: RankPaint,
): void {
  const { size, random, noise, unit, palette } = setting;
  const { depth, nearness } = rank;
  const scale = unit * Math.sqrt(Math.max(1, size.height / size.width));
  const leaves = leafColors(setting, wood, nearness);
  const ground = (x: number): number =>
    size.height * rank.base + noise.at((x / size.height) * 2.4, depth * 20) * size.height * 0.025;
  for (const x of placesOf(setting, wood, rank)) {
    const trunk: Trunk = {
      ...{ x, base: ground(x) + size.height * 0.03, top: edges.top - 20, nearness },
      width: rank.width * scale * thicks[wood.kind] * between(random, { from: 0.7, to: 1.25 }),
      kind: wood.kind,
      color: barkColor(setting, wood, nearness),
      light: mix(palette.light, palette.horizon, 0.5),
      lightSide: x < wood.clearing ? 1 : -1,
    };
    paintTrunk(context, { random, noise }, trunk);
  }
  if (rank === ranks[0]) {
    const x = wood.clearing + size.width * 0.07;
    paintAnimal(context, setting.brief.mentions, {
      ...{ x, y: ground(x) + size.height * 0.012 },
      height: Math.min(size.height, size.width * 1.2) * 0.17,
      color: mix(palette.shade, wood.mist, 0.12),
      rim: mix(palette.light, palette.horizon, 0.4),
    });
  }
  if (rank !== ranks[1]) paintCrowns(context, setting, { wood, rank, leaves });
  paintFloor(context, setting, {
    ...{ rank, ground, leaves, wood },
    color: mix(wood.mist, palette.shade, nearness),
  });
}

function barkColor({ palette }: SceneContext, { kind, mist }: Wood, nearness: number): Color {
  const usual = mix(mix(mist, palette.shade, nearness), [70, 52, 40], 0.1);
  if (kind === 'pine') return mix(usual, [96, 56, 38], 0.12);
  if (kind === 'birch') {
    const white = mix([224, 222, 214], palette.low, 0.25);
    return mix(white, palette.shade, palette.night ? 0.6 : 0.18);
  }
  if (kind === 'bamboo') {
    const green = mix([112, 150, 62], palette.shade, 0.1 + nearness * 0.35);
    return mix(green, mist, 0.5 - nearness * 0.5);
  }
  return usual;
}

/** Spread over the width; near ones keep to the sides, so that the clearing stays open. */
function placesOf(setting: SceneContext, wood: Wood, rank: Rank): number[] {
  const { random, size, unit } = setting;
  const { left, right } = edgesOf(setting, { depth: rank.depth, top: 0, bottom: 0 });
  const isThin = wood.kind === 'bamboo' ? 2 : 1;
  const count = Math.max(2, Math.round((rank.count * isThin * size.width) / (1280 * unit)));
  const gap = (right - left) * (0.05 + rank.nearness * 0.2);
  return Array.from({ length: count }, (_, index) => {
    const share = (index + 0.2 + random() * 0.6) / count;
    const x = left + share * (right - left);
    const away = x - wood.clearing;
    return Math.abs(away) < gap
      ? wood.clearing + (away < 0 ? -gap : gap) * (1 + random() * 0.3)
      : x;
  });
}

/** Needles and the leaves of bamboo are narrow. */
const slims: Record<TrunkKind, number> = { broad: 0.5, birch: 0.6, pine: 0.14, bamboo: 0.2 };

type Leafy = { readonly wood: Wood; readonly rank: Rank; readonly leaves: readonly Color[] };

/** The roof of leaves above, open where the light comes in. */
function paintCrowns(
  context: SKRSContext2D,
  setting: SceneContext,
  { wood, rank, leaves }: Leafy,
): void {
  const { size, random, unit } = setting;
  const { left, right, top } = edgesOf(setting, { depth: rank.depth, top: 0, bottom: 0 });
  const step = 74 * unit * (0.7 + rank.nearness);
  for (let x = left; x < right + step; x += step) {
    const open = Math.exp(-(((x - wood.clearing) / (size.width * 0.2)) ** 2));
    const reach = size.height * (0.05 + 0.13 * (1 - open) * (0.6 + random() * 0.6));
    // The nearest only hang in at the sides: the middle is theirs who stand farther away.
    if (random() < open * (rank === ranks[2] ? 2.2 : 0.6)) continue;
    paintLeaves(context, random, {
      ...{ x: x + (random() - 0.5) * step, y: top + reach * 0.2, down: reach },
      across: step * (0.8 + random() * 0.5),
      count: 150,
      leaf: (4.5 + rank.nearness * 9) * unit * (slims[wood.kind] < 0.3 ? 1.5 : 1),
      slim: slims[wood.kind],
      colors: leaves,
    });
  }
}

type Floor = {
  readonly rank: Rank;
  readonly color: Color;
  readonly leaves: readonly Color[];
  readonly wood: Wood;
  ground(x: number): number;
};

/** Ground below the trunks, with grass and ferns; its far edge is lost in mist. */
function paintFloor(context: SKRSContext2D, setting: SceneContext, floor: Floor): void {
  const { size, random, unit, palette } = setting;
  const { rank, ground, leaves, wood } = floor;
  const { left, right, bottom } = edgesOf(setting, {
    depth: rank.depth,
    top: 0,
    bottom: size.height,
  });
  const top = size.height * (rank.base - 0.03);
  const soil = context.createLinearGradient(0, top, 0, top + size.height * 0.2);
  soil.addColorStop(0, css(mix(mix(floor.color, leaves[0]!, 0.45), leaves[2]!, 0.3)));
  soil.addColorStop(1, css(mix(mix(floor.color, leaves[0]!, 0.5), palette.shade, 0.4)));
  context.fillStyle = soil;
  context.beginPath();
  addLand(context, { left, right, bottom }, ground);
  context.fill();
  paintLitter(context, random, {
    ...{ left, right, top: top + size.height * 0.045, bottom: top + size.height * 0.22 },
    ...{ count: 230, size: (3 + rank.nearness * 6) * unit, alpha: 0.5 },
    colors: wood.isAutumn ? [leaves[2]!, leaves[1]!, [200, 120, 44]] : [leaves[2]!, leaves[1]!],
  });
  const lush = wood.isJungle ? 1.9 : 1;
  const fern = lush * (0.06 + rank.nearness * 0.11) * Math.min(size.height, size.width);
  paintGrass(context, random, {
    ...{ left, right, groundAt: ground, color: mix(floor.color, leaves[0]!, 0.6) },
    height: fern * 0.5,
    step: (3 + rank.nearness * 5) * unit,
  });
  for (let x = left; x < right; x += fern * between(random, { from: 0.5, to: 1.5 })) {
    const shade = leaves[Math.floor(random() * 2)]!;
    const y = ground(x) + fern * (0.1 + random() * 0.3);
    paintFern(context, random, { x, y, height: fern * (0.6 + random() * 0.6), color: shade });
  }
}
