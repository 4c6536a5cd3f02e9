/** The sea: open water under a wide sky and what the prompt names of it; or the world below it. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createSky } from '../../elements/sky.ts';
import { between } from '../../random.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createBeach } from './beach.ts';
import { createBoat } from './boat.ts';
import { createCoast } from './headland.ts';
import { createIsland } from './island.ts';
import { createLighthouse } from './lighthouse.ts';
import { createSwell, ranksCount } from './swell.ts';
import { createUnderwater } from './underwater.ts';
import { createWater } from './water.ts';

const horizon = 0.58;

type Drawn = (context: SKRSContext2D, camera: Camera) => void;

export const createSea = (setting: SceneContext): Scene =>
  setting.brief.shows('underwater') ? createUnderwater(setting) : createSurface(setting);

function createSurface(setting: SceneContext): Scene {
  const { brief } = setting;
  const sun = sunOf(setting);
  const sky = createSky(setting, { horizon, sun, reach: horizon + 0.01 });
  const air = createAir(setting, { horizon });
  const isStormy = brief.weather === 'storm';
  // Where a beach or high waves cover it, water need not be drawn.
  const reach = isStormy ? horizon + 0.06 : brief.shows('beach') ? 0.9 : 1;
  const water = createWater(setting, { horizon, sun, clearness: sky.clearness, reach });
  const things = [...coastOf(setting), ...afloat(setting)];

  return {
    draw(context, second) {
      const camera = setting.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      water.draw(context, camera);
      for (const draw of things) draw(context, camera);
      air.drawSpecks(context, second);
    },
  };
}

/** Low over the water when it rises or sets, higher by day and at night. */
function sunOf({ palette, random }: SceneContext): { readonly x: number; readonly y: number } {
  const x = between(random, { from: 0.34, to: 0.62 });
  const above = between(random, { from: 0.1, to: 0.15 });
  const lift = { dawn: 0, day: 0.18, dusk: 0, night: 0.14 }[palette.time];
  return { x, y: horizon - above - lift };
}

function coastOf(setting: SceneContext): readonly Drawn[] {
  const { brief, size } = setting;
  const hasLighthouse = brief.shows('lighthouse');
  const cliffs = hasLighthouse || brief.mentions(/\bcliff/);
  const coast = createCoast(setting, { horizon, cliffs });
  if (!hasLighthouse) return [coast.draw];
  const x = size.width * 0.82;
  const tall = Math.min(size.height * 0.3, size.width * 0.4);
  const ground = coast.near.groundAt(x) + tall * 0.03;
  return [coast.draw, createLighthouse(setting, { x, ground, tall, depth: coast.near.depth })];
}

/** What swims, from the farthest to the nearest; in a storm between the ranks of its waves. */
function afloat(setting: SceneContext): readonly Drawn[] {
  const { brief } = setting;
  const things: Drawn[] = [];
  const swell = brief.weather === 'storm' ? createSwell(setting, { horizon }) : null;
  if (brief.shows('island')) things.push(createIsland(setting, islandPlan(setting)));
  if (swell) things.push((context, camera) => swell.draw(context, camera, { from: 0, to: 4 }));
  if (brief.shows('boat') || brief.shows('ship')) {
    const plan = boatPlan(setting);
    things.push(createBoat(setting, { ...plan, liftAt: swell?.liftAt ?? null }));
  }
  if (swell)
    things.push((context, camera) => swell.draw(context, camera, { from: 4, to: ranksCount }));
  else if (brief.shows('beach')) things.push(createBeach(setting));
  return things;
}

function boatPlan({ size, brief, random }: SceneContext) {
  const { width, height } = size;
  const tall = Math.min(height * 0.34, width * 0.36);
  return {
    kind: brief.shows('ship') ? 'ship' : 'boat',
    x: width * between(random, { from: 0.28, to: 0.36 }),
    y: height * (horizon + (brief.weather === 'storm' ? 0.13 : 0.075)),
    ...{ tall, depth: 0.3, swell: brief.weather === 'storm' ? 3.4 : 1 },
  } as const;
}

function islandPlan({ size, brief }: SceneContext) {
  const { width, height } = size;
  // Beside a boat it stands back.
  const isAlone = !brief.shows('boat') && !brief.shows('ship');
  const wide = Math.min(width * 0.4, height * 0.62) * (isAlone ? 1 : 0.7);
  return { x: width * (isAlone ? 0.4 : 0.62), base: height * (horizon + 0.008), wide, depth: 0.14 };
}
