/** Every kind of scene a prompt can ask for, and who makes it. */
import type { SceneKind } from '../prompt-brief.ts';
import { createCity } from './city/city.ts';
import { createDesert } from './desert/desert.ts';
import { createFire } from './fire/fire.ts';
import { createFlow } from './flow/flow.ts';
import { createFlowers } from './flowers/flowers.ts';
import { createForest } from './forest/forest.ts';
import { createMountains } from './mountains/mountains.ts';
import { createRain } from './rain/rain.ts';
import type { Scene, SceneContext } from './scene.ts';
import { createSea } from './sea/sea.ts';
import { createSnow } from './snow/snow.ts';
import { createSpace } from './space/space.ts';

const makers: Record<SceneKind, (setting: SceneContext) => Scene> = {
  sea: createSea,
  mountains: createMountains,
  city: createCity,
  space: createSpace,
  forest: createForest,
  rain: createRain, // by the lead
  snow: createSnow, // by the lead
  desert: createDesert,
  fire: createFire, // by the lead
  flowers: createFlowers, // by the lead: not to be begun by others
  flow: createFlow,
};

export const createScene = (setting: SceneContext): Scene => makers[setting.brief.scene](setting);
