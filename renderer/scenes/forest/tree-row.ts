/** One row of trees: trunks, leaves above and plants below. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import { paintFern, paintGrass, paintLeaves, paintLitter } from '../../elements/foliage.ts';
import { addLand } from '../../elements/land.ts';
import type { Edges } from '../../elements/layer.ts';
import { createLayer, edgesOf, type Layer } from '../../elements/layer.ts';
import { clamp } from '../../motion.ts';
import { between } from '../../random.ts';
import type { SceneContext } from '../scene.ts';
import { paintTrunk, type Trunk } from './trunk.ts';

export type ForestLook = {
  readonly isAutumn: boolean;
  readonly clearing: number;
  readonly mist: Color;
};

export const treeRows = [
  { depth: 0.14, count: 10, width: 30, base: 0.7, nearness: 0.34 },
  { depth: 0.45, count: 4, width: 52, base: 0.79, nearness: 0.62 },
  { depth: 0.8, count: 2, width: 118, base: 0.98, nearness: 0.95 },
] as const;

export function leafColors(
  { palette }: SceneContext,
  { isAutumn, mist }: ForestLook,
  nearness: number,
) {
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

type TreeRow = (typeof treeRows)[number];

export const placeOf = ({ size }: SceneContext, { depth }: TreeRow) => ({
  depth,
  top: 0,
  bottom: size.height,
  tile: 22,
  opaque: depth === treeRows[0].depth,
});

type TreeRowPlan = { readonly forest: ForestLook; readonly row: TreeRow };

export const createTreeRow = (scene: SceneContext, { forest, row }: TreeRowPlan): Layer =>
  createLayer(scene, placeOf(scene, row), (context, edges) =>
    paintTreeRow(context, scene, { forest, row, edges }),
  );

type TreeRowArea = { readonly forest: ForestLook; readonly row: TreeRow; readonly edges: Edges };

export function paintTreeRow(
  context: SKRSContext2D,
  scene: SceneContext,
  { forest, row, edges }: TreeRowArea,
): void {
  const { size, random, noise, unit, palette } = scene;
  const { depth, nearness } = row;
  const scale = unit * Math.sqrt(Math.max(1, size.height / size.width));
  const leaves = leafColors(scene, forest, nearness);
  const ground = (x: number): number =>
    size.height * row.base + noise.at((x / size.height) * 2.4, depth * 20) * size.height * 0.025;
  for (const x of placesOf(scene, forest, row)) {
    const trunk: Trunk = {
      x,
      base: ground(x) + size.height * 0.03,
      top: edges.top - 20,
      nearness,
      width: row.width * scale * between(random, { from: 0.7, to: 1.25 }),
      color: mix(mix(forest.mist, palette.shade, nearness), [70, 52, 40], 0.1),
      light: mix(palette.light, palette.horizon, 0.5),
      lightSide: x < forest.clearing ? 1 : -1,
    };
    paintTrunk(context, { random, noise }, trunk);
  }
  if (row !== treeRows[1]) paintCrowns(context, scene, { forest, row, leaves });
  paintFloor(context, scene, {
    row,
    ground,
    leaves,
    forest,
    color: mix(forest.mist, palette.shade, nearness),
  });
}

/** Spread over the width. Near trees keep to the sides, so that the clearing stays open. */
function placesOf(scene: SceneContext, forest: ForestLook, row: TreeRow): number[] {
  const { random, size, unit } = scene;
  const { left, right } = edgesOf(scene, { depth: row.depth, top: 0, bottom: 0 });
  const count = Math.max(2, Math.round((row.count * size.width) / (1280 * unit)));
  const gap = (right - left) * (0.05 + row.nearness * 0.2);
  return Array.from({ length: count }, (_, index) => {
    const share = (index + 0.2 + random() * 0.6) / count;
    const x = left + share * (right - left);
    const away = x - forest.clearing;
    return Math.abs(away) < gap
      ? forest.clearing + (away < 0 ? -gap : gap) * (1 + random() * 0.3)
      : x;
  });
}

type Canopy = {
  readonly forest: ForestLook;
  readonly row: TreeRow;
  readonly leaves: readonly Color[];
};

function paintCrowns(
  context: SKRSContext2D,
  scene: SceneContext,
  { forest, row, leaves }: Canopy,
): void {
  const { size, random, unit } = scene;
  const { left, right, top } = edgesOf(scene, { depth: row.depth, top: 0, bottom: 0 });
  const step = 74 * unit * (0.7 + row.nearness);
  for (let x = left; x < right + step; x += step) {
    const open = Math.exp(-(((x - forest.clearing) / (size.width * 0.2)) ** 2));
    const reach = size.height * (0.05 + 0.13 * (1 - open) * (0.6 + random() * 0.6));
    if (random() < open * (row === treeRows[2] ? 2.2 : 0.6)) continue;
    paintLeaves(context, random, {
      x: x + (random() - 0.5) * step,
      y: top + reach * 0.2,
      down: reach,
      across: step * (0.8 + random() * 0.5),
      count: 150,
      leaf: (4.5 + row.nearness * 9) * unit,
      slim: 0.5,
      colors: leaves,
    });
  }
}

type Floor = {
  readonly row: TreeRow;
  readonly color: Color;
  readonly leaves: readonly Color[];
  readonly forest: ForestLook;
  ground(x: number): number;
};

function paintFloor(context: SKRSContext2D, scene: SceneContext, floor: Floor): void {
  const { size, random, unit, palette } = scene;
  const { row, ground, leaves, forest } = floor;
  const { left, right, bottom } = edgesOf(scene, {
    depth: row.depth,
    top: 0,
    bottom: size.height,
  });
  const top = size.height * (row.base - 0.03);
  const soil = context.createLinearGradient(0, top, 0, top + size.height * 0.2);
  soil.addColorStop(0, css(mix(mix(floor.color, leaves[0]!, 0.45), leaves[2]!, 0.3)));
  soil.addColorStop(1, css(mix(mix(floor.color, leaves[0]!, 0.5), palette.shade, 0.4)));
  context.fillStyle = soil;
  context.beginPath();
  addLand(context, { left, right, bottom }, ground);
  context.fill();
  paintLitter(context, random, {
    left,
    right,
    top: top + size.height * 0.045,
    bottom: top + size.height * 0.22,
    count: 230,
    size: (3 + row.nearness * 6) * unit,
    alpha: 0.5,
    colors: forest.isAutumn ? [leaves[2]!, leaves[1]!, [200, 120, 44]] : [leaves[2]!, leaves[1]!],
  });
  const fern = (0.06 + row.nearness * 0.11) * Math.min(size.height, size.width);
  paintGrass(context, random, {
    left,
    right,
    groundAt: ground,
    color: mix(floor.color, leaves[0]!, 0.6),
    height: fern * 0.5,
    step: (3 + row.nearness * 5) * unit,
  });
  for (let x = left; x < right; x += fern * between(random, { from: 0.5, to: 1.5 })) {
    const shade = leaves[Math.floor(random() * 2)]!;
    const y = ground(x) + fern * (0.1 + random() * 0.3);
    paintFern(context, random, { x, y, height: fern * (0.6 + random() * 0.6), color: shade });
  }
}
