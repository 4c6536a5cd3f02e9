/** Winter: snowy hills and forests, a cabin or a village with lights, and falling snow. */
import { mix, white } from '../../color.ts';
import { createLandscape } from '../../elements/atmosphere.ts';
import type { Land } from '../../elements/land.ts';
import { createSprite } from '../../elements/layer.ts';
import { fillWood, type PineLook, paintPine } from '../../elements/pines.ts';
import { createRidge, type RidgePlan } from '../../elements/ridge.ts';
import { placeSun } from '../../elements/sun.ts';
import type { DrawSeen, Scene, SceneContext } from '../scene.ts';
import { type Cabins, createCabins } from './cabin.ts';

const horizon = 0.6;

export function createSnow(scene: SceneContext): Scene {
  const sun = placeSun(scene, {
    x: { from: 0.26, to: 0.74 },
    y: { from: 0.34, to: 0.4 },
    lift: { day: 0.16, night: 0.16 },
  });
  const light = lightOf(scene, sun.x);
  const near = nearHill(scene, light);
  const { hill: middle, cabins } = middleHill(scene, light, near.hill);
  const far = farHill(scene, light, middle);
  const range = rangeOf(scene, light, far);
  const reach = Math.min(1, range.lowest / scene.size.height + 0.02);
  return createLandscape(scene, { horizon, sun, reach }, () => [
    ...[range, far, middle].map(({ draw }) => draw),
    (context, camera) => camera.look(context, middle.depth, () => cabins?.draw(context, camera)),
    near.hill.draw,
    ...near.trees,
  ]);
}

type SnowLight = ReturnType<typeof lightOf>;

function lightOf({ palette }: SceneContext, sunX: number) {
  const { high, middle, low, horizon: glow, light, shade } = palette;
  const night = palette.night;
  const bright = mix(white, mix(light, glow, 0.6), palette.time === 'day' ? 0.12 : 0.42);
  return {
    lit: night ? mix(mix(low, glow, 0.75), white, 0.2) : bright,
    shade: night
      ? mix(middle, low, 0.5)
      : mix(mix(low, middle, 0.62), white, palette.time === 'day' ? 0.3 : 0.1),
    haze: mix(glow, low, 0.4),
    wood: mix(mix(shade, high, 0.25), [28, 52, 48], night ? 0.15 : 0.35),
    sunX,
  };
}

function rangeOf(scene: SceneContext, light: SnowLight, next: Land) {
  const { palette } = scene;
  const body = mix(mix(palette.low, palette.middle, 0.5), palette.shade, 0.14);
  return createRidge(scene, {
    depth: 0.03,
    base: 0.6,
    rise: 0.24,
    sharp: 0.85,
    stretch: 1.4,
    body,
    lit: mix(body, palette.horizon, 0.4),
    mist: light.haze,
    misty: 0.85,
    snowline: 0.9,
    sunX: light.sunX,
    hidden: next.lowest,
  });
}

function farHill(scene: SceneContext, light: SnowLight, next: Land): Land {
  const { size, random, noise } = scene;
  const side = Math.min(size.height, size.width * 1.1);
  const start = random() * 100;
  const tall = { from: side * 0.016, to: side * 0.05 };
  return createSnowHill(scene, light, {
    depth: 0.14,
    base: 0.67,
    rise: 0.06,
    stretch: 1.2,
    hazy: 0.38,
    hidden: next.lowest,
    above: tall.to * 1.1,
    paintTrees: (context, { left, right, edgeAt }) =>
      fillWood(context, random, mix(light.wood, light.haze, 0.4), {
        from: left,
        to: right,
        gap: side * 0.009,
        tall,
        groundAt: edgeAt,
        density: (x) => 0.35 + noise.at((x / side) * 2.4 + start, start) * 1.1,
      }),
  });
}

function middleHill(scene: SceneContext, light: SnowLight, next: Land) {
  const { size, random, brief } = scene;
  const side = Math.min(size.height, size.width * 1.1);
  const village = brief.shows('village');
  const hasHouses = village || brief.shows('house');
  const look = pineLook(light, 0.14);
  let cabins: Cabins | null = null;
  const hill = createSnowHill(scene, light, {
    depth: 0.32,
    base: 0.74,
    rise: 0.05,
    stretch: 1,
    hazy: 0.12,
    hidden: next.lowest,
    above: side * 0.24,
    paintOn(context, edgeAt) {
      const firs = Array.from({ length: 26 }, () => ({ x: random() * 1.2 - 0.1, down: random() }));
      firs.sort((one, other) => one.down - other.down);
      for (const { x, down } of firs) {
        if (hasHouses && Math.abs(x - 0.58) < (village ? 0.24 : 0.16)) continue;
        const px = x * size.width;
        const tall = side * (0.09 + down * 0.09);
        const y = edgeAt(px) + side * (0.01 + down * 0.06);
        paintPine(context, random, { x: px, y, tall, look });
      }
      if (!hasHouses) return;
      cabins = createCabins(scene, { snow: mix(light.lit, light.shade, 0.15), village, edgeAt });
      cabins.paint(context);
    },
  });
  return { hill, cabins: cabins as Cabins | null };
}

function nearHill(scene: SceneContext, light: SnowLight) {
  const { size, random } = scene;
  const { width, height } = size;
  const shape = { depth: 0.7, base: 0.93, rise: 0.07, stretch: 0.8 };
  const hill = createSnowHill(scene, light, { ...shape, hazy: 0, hidden: null });
  const side = Math.min(height, width * 1.25);
  const look = pineLook(light, 0);
  const tree = (x: number, tall: number): DrawSeen => {
    const y = Math.max(hill.edgeAt(x) + side * 0.06, height * 1.02);
    const box = {
      left: x - tall * 0.3,
      right: x + tall * 0.3,
      top: y - tall - 4,
      bottom: y + tall * 0.05,
    };
    const sprite = createSprite(box, (context) => paintPine(context, random, { x, y, tall, look }));
    return (context, camera) => sprite.look(context, camera, 0.8);
  };
  const trees = [
    tree(width * 0.9, side * 0.62),
    tree(width * 0.07, side * 0.46),
    tree(width * 0.98, side * 0.4),
  ];
  return { hill, trees };
}

const pineLook = (light: SnowLight, haze: number): PineLook => ({
  dark: mix(light.wood, light.haze, haze),
  lit: mix(mix(light.wood, light.lit, 0.28), light.haze, haze),
  snow: { lit: mix(light.lit, light.haze, haze), shade: mix(light.shade, light.haze, haze) },
  side: light.sunX < 0.5 ? -1 : 1,
});

type SnowHillPlan = Pick<
  RidgePlan,
  'depth' | 'hidden' | 'above' | 'base' | 'rise' | 'stretch' | 'paintTrees' | 'paintOn'
> & {
  /** How strong the air in front of the hill is, from 0 to 1. */
  readonly hazy: number;
};

/** A ridge without peaks and rock. */
function createSnowHill(
  scene: SceneContext,
  { lit, shade, haze, sunX }: SnowLight,
  { hazy, ...plan }: SnowHillPlan,
): Land {
  return createRidge(scene, {
    sharp: 0,
    snowline: null,
    sunX,
    mist: haze,
    misty: hazy,
    body: mix(mix(shade, lit, 0.6), haze, hazy),
    lit: mix(lit, haze, hazy),
    ...plan,
  });
}
