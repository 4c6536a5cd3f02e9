/** Rows of dunes under a wide sky, with a caravan, pyramids, cactuses or dust when named. */
import { type Color, mix, white } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createBalloons } from '../../elements/balloons.ts';
import { createFogBank } from '../../elements/fog.ts';
import type { Land } from '../../elements/land.ts';
import { createSky } from '../../elements/sky.ts';
import { createSprite } from '../../elements/sprite.ts';
import { between } from '../../random.ts';
import type { DrawSeen, Scene, SceneContext } from '../scene.ts';
import { createCaravan } from './camels.ts';
import { createDune } from './dune.ts';
import { paintCactus, pyramidsOf, type Stone } from './landmarks.ts';

const horizon = 0.6;

const steps = [
  { depth: 0.05, base: 0.63, rise: 0.05, wide: 0.5, ripples: 0 },
  { depth: 0.16, base: 0.7, rise: 0.12, wide: 0.8, ripples: 0 },
  { depth: 0.36, base: 0.82, rise: 0.17, wide: 1.1, ripples: 0.5 },
  { depth: 0.75, base: 1.02, rise: 0.22, wide: 1.5, ripples: 1 },
] as const;

export function createDesert(scene: SceneContext): Scene {
  const { brief, size } = scene;
  const sun = sunOf(scene);
  const stone = stoneOf(scene, sun.x);
  const dunes = dunesOf(scene, stone);
  const reach = Math.min(1, dunes[0]!.lowest / size.height + 0.02);
  const sky = createSky(scene, { horizon, sun, reach });
  const air = createAir(scene, { horizon });
  const standing = standingOn(scene, dunes, stone);
  const dust = brief.shows('sandstorm')
    ? [
        createFogBank(scene, { y: 0.55, tall: 1.1, depth: 0.3, alpha: 0.8 }),
        createFogBank(scene, { y: 0.75, tall: 0.7, depth: 0.6, alpha: 0.9 }),
      ]
    : [];

  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      for (const draw of standing[0]!) draw(context, camera);
      for (const [index, dune] of dunes.entries()) {
        dune.draw(context, camera);
        for (const draw of standing[index + 1] ?? []) draw(context, camera);
      }
      for (const draw of dust) draw(context, second);
      air.drawSpecks(context, second);
    },
  };
}

function sunOf({ palette, random }: SceneContext): { readonly x: number; readonly y: number } {
  const x = between(random, { from: 0.22, to: 0.78 });
  const y = between(random, { from: 0.38, to: 0.44 });
  return { x, y: y - { dawn: 0, day: 0.22, dusk: 0, night: 0.16 }[palette.time] };
}

function stoneOf({ palette }: SceneContext, sunX: number): Stone {
  const { horizon: glow, low, middle, light, shade } = palette;
  const sand: Color = [232, 182, 118];
  const bright = mix(sand, mix(glow, light, 0.5), palette.time === 'day' ? 0.3 : 0.45);
  const dark: Color = mix([150, 92, 60], shade, 0.3);
  const night = palette.night;
  return {
    lit: night ? mix(mix(low, middle, 0.25), white, 0.12) : bright,
    shade: night
      ? mix(shade, middle, 0.45)
      : mix(dark, mix(middle, shade, 0.5), palette.time === 'day' ? 0.2 : 0.6),
    haze: mix(glow, low, 0.4),
    sunSide: sunX < 0.5 ? -1 : 1,
  };
}

function dunesOf(scene: SceneContext, stone: Stone): readonly Land[] {
  const dunes: Land[] = [];
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const hazy = [0.72, 0.46, 0.2, 0][index]!;
    const hidden = dunes[0]?.lowest ?? null;
    dunes.unshift(createDune(scene, { ...steps[index]!, ...stone, hazy, hidden }));
  }
  return dunes;
}

/** Objects behind the first dune, and in front of each dune. */
function standingOn(
  scene: SceneContext,
  dunes: readonly Land[],
  stone: Stone,
): readonly DrawSeen[][] {
  const { brief, size } = scene;
  const places: DrawSeen[][] = [[], [], [], [], []];
  const base = dunes[0]!.lowest + 2;
  if (brief.shows('pyramids')) {
    const sprite = pyramidsOf(scene, base + size.height * 0.02, stone);
    places[0]!.push((context, camera) => sprite.look(context, camera, 0.06));
  }
  if (brief.shows('balloon')) places[1]!.push(createBalloons(scene));
  if (brief.shows('camels')) places[3]!.push(caravanOn(scene, dunes[2]!, stone));
  if (brief.shows('cactus')) {
    places[3]!.push(cactusesOn(scene, dunes[2]!, { count: 6, tall: 0.1 }));
    places[4]!.push(cactusesOn(scene, dunes[3]!, { count: 2, tall: 0.34 }));
  }
  return places;
}

function caravanOn(scene: SceneContext, dune: Land, stone: Stone): DrawSeen {
  const { size, palette } = scene;
  const color = mix(stone.shade, palette.shade, 0.75);
  const tall = Math.min(size.height, size.width) * 0.085;
  return createCaravan(scene, { depth: dune.depth, color, tall, groundAt: dune.edgeAt });
}

function cactusesOn(
  scene: SceneContext,
  dune: Land,
  plan: { count: number; tall: number },
): DrawSeen {
  const { size, random, palette } = scene;
  const dim = { dawn: 0.6, day: 0.12, dusk: 0.66, night: 0.85 }[palette.time];
  const green: Color = [92, 128, 76];
  const lit = mix(mix(green, palette.horizon, 0.25), palette.shade, dim * 0.7);
  const shade = mix([44, 72, 50], palette.shade, dim);
  const side = random() < 0.5 ? -1 : 1;
  const tall = Math.min(size.height, size.width) * plan.tall;
  const box = {
    left: 0,
    right: size.width,
    top: dune.highest - tall * 1.4,
    bottom: dune.lowest + tall * 0.4,
  };
  const sprite = createSprite(box, (context) => {
    for (let index = 0; index < plan.count; index += 1) {
      const share =
        plan.count <= 2 ? [0.9, 0.1][index]! : (index + 0.2 + random() * 0.6) / plan.count;
      const x = share * size.width;
      const own = tall * (0.7 + random() * 0.5);
      paintCactus(context, { x, y: dune.edgeAt(x) + own * 0.05, tall: own, lit, shade, side });
    }
  });
  return (context, camera) => sprite.look(context, camera, dune.depth);
}
