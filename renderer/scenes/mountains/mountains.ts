/** Rows of ridges in mist under a wide sky, with a lake when named. */
import { mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createFogBank } from '../../elements/fog.ts';
import type { Land } from '../../elements/land.ts';
import { stillCamera } from '../../elements/layer.ts';
import { createReflection } from '../../elements/reflection.ts';
import { createRidge } from '../../elements/ridge.ts';
import { createSky, type Sky } from '../../elements/sky.ts';
import { between } from '../../random.ts';
import type { DrawSeen, Scene, SceneContext } from '../scene.ts';
import { slopesOf, woodOf } from './slopes.ts';

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
  const { brief } = scene;
  const isWet = brief.shows('lake');
  const sun = sunOf(scene);
  const ridges = ridgesOf(scene, isWet ? wet : dry, sun.x);
  const reach = Math.min(1, ridges[0]!.lowest / scene.size.height + 0.02);
  const sky = createSky(scene, { horizon, sun, reach });
  const air = createAir(scene, { horizon });
  const standing = betweenRidges(scene, ridges, { isWet, sky });

  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      for (const [index, ridge] of ridges.entries()) {
        ridge.draw(context, camera);
        for (const draw of standing[index]!) draw(context, camera);
      }
      air.drawSpecks(context, second);
    },
  };
}

function sunOf({ palette, random }: SceneContext): { readonly x: number; readonly y: number } {
  const x = between(random, { from: 0.28, to: 0.72 });
  const y = between(random, { from: 0.32, to: 0.38 });
  return { x, y: y - { dawn: 0, day: 0.15, dusk: 0, night: 0.12 }[palette.time] };
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
  const lake = createReflection(scene, {
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
  return (context, camera) => lake.draw(context, camera, camera.second);
}
