/** The sea: open water with a coast, and a lighthouse, boats and a beach when named. */
import { createLandscape } from '../../elements/atmosphere.ts';
import { placeSun } from '../../elements/sun.ts';
import { between } from '../../random.ts';
import type { DrawSeen, Scene, SceneContext } from '../scene.ts';
import { createBeach } from './beach.ts';
import { createBoat } from './boat.ts';
import { createCoast } from './headland.ts';
import { createLighthouse } from './lighthouse.ts';
import { createSwell, waveRowsCount } from './swell.ts';
import { createWater } from './water.ts';

const horizon = 0.58;

export function createSea(scene: SceneContext): Scene {
  const { brief } = scene;
  const sun = placeSun(scene, {
    x: { from: 0.34, to: 0.62 },
    y: { from: horizon - 0.1, to: horizon - 0.15 },
    lift: { day: 0.18, night: 0.14 },
  });
  return createLandscape(scene, { horizon, sun, reach: horizon + 0.01 }, ({ clearness }) => {
    // Water that a beach or high waves cover is not drawn.
    const reach = brief.weather === 'storm' ? horizon + 0.06 : brief.shows('beach') ? 0.9 : 1;
    const water = createWater(scene, { horizon, sun, clearness, reach });
    return [water, ...coastOf(scene), ...onWater(scene)];
  });
}

function coastOf(scene: SceneContext): readonly DrawSeen[] {
  const { brief, size } = scene;
  const hasLighthouse = brief.shows('lighthouse');
  const cliffs = hasLighthouse || brief.mentions(/\bcliff/);
  const coast = createCoast(scene, { horizon, cliffs });
  if (!hasLighthouse) return [coast.draw];
  const x = size.width * 0.82;
  const tall = Math.min(size.height * 0.3, size.width * 0.4);
  const ground = coast.near.groundAt(x) + tall * 0.03;
  return [coast.draw, createLighthouse(scene, { x, ground, tall, depth: coast.near.depth })];
}

/** Objects on the water from far to near; in a storm they float between the rows of waves. */
function onWater(scene: SceneContext): readonly DrawSeen[] {
  const { brief } = scene;
  const things: DrawSeen[] = [];
  const swell = brief.weather === 'storm' ? createSwell(scene, { horizon }) : null;
  if (swell) things.push((context, camera) => swell.draw(context, camera, { from: 0, to: 4 }));
  if (brief.shows('paperboat') || brief.shows('boat')) {
    things.push(createBoat(scene, { ...boatPlan(scene), liftAt: swell?.liftAt ?? null }));
  }
  if (swell)
    things.push((context, camera) => swell.draw(context, camera, { from: 4, to: waveRowsCount }));
  else if (brief.shows('beach')) things.push(createBeach(scene));
  return things;
}

function boatPlan({ size, brief, random }: SceneContext) {
  const { width, height } = size;
  const isStormy = brief.weather === 'storm';
  const isPaper = brief.shows('paperboat');
  const tall = Math.min(height * 0.34, width * 0.36);
  return {
    isPaper,
    tall: isPaper ? tall * 0.75 : tall,
    swell: isStormy ? 3.4 : 1,
    x: width * between(random, { from: 0.28, to: 0.36 }) * (isPaper ? 1.2 : 1),
    y: height * (horizon + (isStormy ? 0.13 : 0.075)) + (isPaper ? tall * 0.2 : 0),
    depth: isPaper ? 0.45 : 0.3,
  };
}
