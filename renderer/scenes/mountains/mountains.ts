/** Rows of ridges in mist under a wide sky, with a lake when named. */
import { type Color, mix } from '../../color.ts';
import { createLandscape } from '../../elements/atmosphere.ts';
import type { Land } from '../../elements/land.ts';
import { stillCamera } from '../../elements/layer.ts';
import { fillWood } from '../../elements/pines.ts';
import { createReflection } from '../../elements/reflection.ts';
import { createRidge, type RidgePlan } from '../../elements/ridge.ts';
import type { Sky } from '../../elements/sky.ts';
import { placeSun } from '../../elements/sun.ts';
import { createFogBank } from '../../elements/weather.ts';
import type { DrawSeen, Scene, SceneContext } from '../scene.ts';

const horizon = 0.64;
const shore = 0.7;

type RidgeStep = {
  readonly depth: number;
  readonly base: number;
  readonly rise: number;
  readonly sharp: number;
  readonly stretch: number;
};

const dry: readonly RidgeStep[] = [
  { depth: 0.03, base: 0.66, rise: 0.34, sharp: 1, stretch: 1.3 },
  { depth: 0.08, base: 0.7, rise: 0.2, sharp: 0.7, stretch: 1.6 },
  { depth: 0.2, base: 0.74, rise: 0.16, sharp: 0.3, stretch: 1.5 },
  { depth: 0.4, base: 0.82, rise: 0.14, sharp: 0.1, stretch: 1.3 },
  { depth: 0.75, base: 0.95, rise: 0.12, sharp: 0, stretch: 1 },
];
/** The ridges around a lake; all but the nearest are behind it. */
const wet: readonly RidgeStep[] = [
  { depth: 0.03, base: 0.62, rise: 0.34, sharp: 1, stretch: 1.3 },
  { depth: 0.06, base: 0.65, rise: 0.2, sharp: 0.8, stretch: 1.6 },
  { depth: 0.1, base: 0.68, rise: 0.1, sharp: 0.3, stretch: 1.5 },
  { depth: 0.11, base: 0.695, rise: 0.035, sharp: 0, stretch: 1.5 },
  { depth: 0.8, base: 1, rise: 0.07, sharp: 0, stretch: 0.9 },
];

export function createMountains(scene: SceneContext): Scene {
  const isWet = scene.brief.shows('lake');
  const sun = placeSun(scene, {
    x: { from: 0.28, to: 0.72 },
    y: { from: 0.32, to: 0.38 },
    lift: { day: 0.15, night: 0.12 },
  });
  const ridges = ridgesOf(scene, isWet ? wet : dry, sun.x);
  const reach = Math.min(1, ridges[0]!.lowest / scene.size.height + 0.02);
  return createLandscape(scene, { horizon, sun, reach }, (sky) => {
    const standing = betweenRidges(scene, ridges, { isWet, sky });
    return ridges.flatMap(({ draw }, index) => [draw, ...standing[index]!]);
  });
}

/** Created from the nearest to the farthest, so that hidden parts are not painted. */
function ridgesOf(scene: SceneContext, steps: readonly RidgeStep[], sunX: number): readonly Land[] {
  const ridges: Land[] = [];
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    // Farther ridges must reach down to the shore of the lake.
    const isOnShore = steps === wet && index === 3;
    const hidden = isOnShore ? scene.size.height * shore - 1 : (ridges[0]?.lowest ?? null);
    const slopes = slopesOf(scene, { index, count: steps.length });
    const plan = { ...steps[index]!, ...slopes, sunX, hidden };
    ridges.unshift(createRidge(scene, { ...plan, ...woodOf(scene, index, slopes.body) }));
  }
  return ridges;
}

/** Objects in front of each ridge and behind the next one. */
function betweenRidges(
  scene: SceneContext,
  ridges: readonly Land[],
  { isWet, sky }: { readonly isWet: boolean; readonly sky: Sky },
): readonly DrawSeen[][] {
  const places: DrawSeen[][] = ridges.map(() => []);
  if (isWet) places[3]!.push(lakeUnder(scene, ridges, sky));
  for (const [index, mist] of mistsOf(scene, isWet ? wet : dry).entries()) {
    if (mist) places[index]!.push(mist);
  }
  return places;
}

function mistsOf(scene: SceneContext, steps: readonly RidgeStep[]): readonly (DrawSeen | null)[] {
  const { palette, brief } = scene;
  const strength = brief.weather === 'fog' ? 0.75 : palette.time === 'dawn' ? 0.4 : 0.16;
  const bank = (index: number, alpha: number): DrawSeen => {
    const { base, depth } = steps[index]!;
    const draw = createFogBank(scene, { y: base - 0.01, tall: 0.17, depth, alpha });
    return (context, camera) => draw(context, camera.second);
  };
  if (steps === wet) return [null, bank(1, strength), null, bank(3, strength * 0.7)];
  return [null, bank(1, strength), bank(2, strength), bank(3, strength * 0.8)];
}

function lakeUnder(scene: SceneContext, ridges: readonly Land[], sky: Sky): DrawSeen {
  const { palette, size } = scene;
  return createReflection(scene, {
    depth: 0.12,
    top: size.height * shore - 2,
    far: mix(palette.low, palette.middle, 0.4),
    near: mix(palette.high, palette.shade, 0.4),
    bright: 0.86,
    paint(context) {
      sky.draw(context, stillCamera);
      for (const ridge of ridges.slice(0, 4)) ridge.draw(context, stillCamera);
    },
  });
}

const mistiness = [0.85, 0.8, 0.7, 0.5, 0.1] as const;
/** Snow lines in winter, as shares of the height from the top; the nearest hills have no snow. */
const winterLines = [0.9, 0.9, 0.86, null, null] as const;
const summerLine = 0.47;

type SlopeLook = Pick<RidgePlan, 'body' | 'lit' | 'mist' | 'misty' | 'snowline'>;

function slopesOf(
  { palette, brief }: SceneContext,
  { index, count }: { readonly index: number; readonly count: number },
): SlopeLook {
  const { horizon, low, middle, light, shade } = palette;
  const nearness = (index + 0.5) / count;
  const isDay = palette.time === 'day';
  const isAutumn = brief.shows('autumn');
  const far = mix(mix(horizon, low, 0.5), middle, isDay ? 0.35 : 0.2);
  const green: Color = isAutumn ? [150, 84, 34] : [66, 104, 60];
  const land = mix(shade, green, isDay ? 0.5 : isAutumn ? 0.24 : 0.08);
  const body = mix(far, land, nearness ** 0.8);
  const strong = { dawn: 0.5, day: 0.38, dusk: 0.48, night: 0.22 }[palette.time];
  const isWinter = brief.shows('winter') || brief.weather === 'snow';
  return {
    body: index === count - 1 ? mix(body, shade, 0.4) : body,
    lit: mix(body, mix(horizon, light, 0.4), strong * (1 - nearness * 0.45)),
    mist: palette.night ? mix(low, middle, 0.3) : mix(horizon, low, 0.3),
    misty: Math.min(0.95, mistiness[index]! * (brief.weather === 'fog' ? 1.25 : 1)),
    snowline: isWinter ? winterLines[index]! : index === 0 ? summerLine : null,
  };
}

function woodOf(
  { size, random, noise, palette }: SceneContext,
  index: number,
  body: Color,
): Pick<RidgePlan, 'paintTrees' | 'above'> {
  if (index < 3) return {};
  const isNear = index === 4;
  const side = Math.min(size.height, size.width * 1.1);
  const tall = isNear
    ? { from: side * 0.06, to: side * 0.2 }
    : { from: side * 0.014, to: side * 0.04 };
  const start = random() * 100;
  const color = mix(body, palette.shade, isNear ? 0.5 : 0.3);
  return {
    above: tall.to * 1.05,
    paintTrees: (context, ridge) =>
      fillWood(context, random, color, {
        from: ridge.left,
        to: ridge.right,
        tall,
        gap: isNear ? side * 0.016 : side * 0.008,
        density: (x) => {
          const group = noise.at((x / size.height) * (isNear ? 1.6 : 2.6) + start, start);
          const open = isNear ? Math.abs(x / size.width - 0.5) * 2.2 : 0.4;
          return 0.06 + group * 0.8 + open ** 1.5 * 0.7;
        },
        groundAt: (x) => ridge.edgeAt(x),
      }),
  };
}
