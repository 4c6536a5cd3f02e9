/** Chooses the scene that shows a prompt. Scene folders never import each other. */
import type { SceneKind } from '../vocabulary/meaning.ts';
import { createSkyline } from './city/skyline.ts';
import { createDesert } from './desert/desert.ts';
import { createCampfire } from './fire/campfire.ts';
import { createFlow } from './flow/flow.ts';
import { createFlowers } from './flowers/flowers.ts';
import { createForest } from './forest/forest.ts';
import { createMountains } from './mountains/mountains.ts';
import { createRain } from './rain/rain.ts';
import type { Scene, SceneContext } from './scene.ts';
import { createSea } from './sea/sea.ts';
import { createSnow } from './snow/snow.ts';
import { createSpace } from './space/space.ts';

const scenes: Record<SceneKind, (scene: SceneContext) => Scene> = {
  sea: createSea,
  mountains: createMountains,
  city: createSkyline,
  space: createSpace,
  forest: createForest,
  rain: createRain,
  snow: createSnow,
  desert: createDesert,
  fire: createCampfire,
  flowers: createFlowers,
  flow: createFlow,
};

export const createScene = (scene: SceneContext): Scene => scenes[scene.brief.scene](scene);
