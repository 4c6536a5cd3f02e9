/** Fire in its kinds: a campfire when the prompt says no more, else what it names. */

import { createFireworks } from '../../elements/fireworks.ts';
import { createSkyline } from '../city/skyline.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createCampfire } from './campfire.ts';
import { createCandle } from './candle.ts';
import { createVolcano } from './volcano.ts';

const cityWords =
  /\b(city|skyline|town|york|tokyo|london|paris|sydney|dubai|river|harbo|bridge|bay)/;

export function createFire(setting: SceneContext): Scene {
  const { brief } = setting;
  if (brief.mentions(/\bfirework/)) {
    return brief.mentions(cityWords) ? createSkyline(setting) : createFireworks(setting);
  }
  if (brief.mentions(/\bcandle/)) return createCandle(setting);
  if (brief.mentions(/volcan|\blava|magma|erupt/)) return createVolcano(setting);
  return createCampfire(setting);
}
