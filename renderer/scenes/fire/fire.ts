/** A campfire, or fireworks when the prompt names them. */
import type { Scene, SceneContext } from '../scene.ts';
import { createCampfire } from './campfire.ts';
import { createFireworks } from './fireworks.ts';

export const createFire = (scene: SceneContext): Scene =>
  scene.brief.mentions(/\bfirework/) ? createFireworks(scene) : createCampfire(scene);
