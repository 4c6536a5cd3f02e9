/** Chooses the scene that shows a prompt. Scene folders never import each other. */
import type { SceneKind } from '../prompt-brief.ts';
import { createSkyline } from './city/skyline.ts';
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

const scenes: Record<SceneKind, (scene: SceneContext) => Scene> = {
  sea: createSea,
  mountains: createMountains,
  city: createSkyline,
  space: createSpace,
  forest: createForest,
  rain: createRain,
  snow: createSnow,
  desert: createDesert,
  fire: createFire,
  flowers: createFlowers,
  flow: createFlow,
};

const cityWords =
  /\b(city|skyline|town|york|tokyo|london|paris|sydney|dubai|river|harbo|bridge|bay)/;

export function createScene(scene: SceneContext): Scene {
  const { brief } = scene;
  const isOverCity =
    brief.scene === 'fire' && brief.mentions(/\bfirework/) && brief.mentions(cityWords);
  return isOverCity ? createSkyline(scene) : scenes[brief.scene](scene);
}
