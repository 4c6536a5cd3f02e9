/** Every kind of scene a prompt can ask for, and who makes it. */
import type { SceneKind } from '../brief.ts';
import { createFlow } from './flow.ts';
import { createMountains } from './mountains.ts';
import type { Scene, Setting } from './scene.ts';
import { createSea } from './sea.ts';

const makers: Record<SceneKind, (setting: Setting) => Scene> = {
  sea: createSea,
  mountains: createMountains,
  city: createFlow,
  space: createFlow,
  forest: createMountains,
  rain: createMountains,
  snow: createMountains,
  desert: createMountains,
  fire: createFlow,
  flowers: createMountains,
  flow: createFlow,
};

export const createScene = (setting: Setting): Scene => makers[setting.brief.scene](setting);
