/** A city: from inside one of its streets when the prompt says so, else from afar. */
import type { Scene, SceneContext } from '../scene.ts';
import { createSkyline } from './skyline.ts';
import { createStreet } from './street.ts';

const streetWords =
  /\b(street|alley|road|sidewalk|crosswalk|market|traffic|lane|boulevard|shibuya|taxi|cafe|walk)/;
const skylineWords =
  /\b(skyline|aerial|drone|panorama|rooftop|above|river|bay|harbo|bridge|towers)/;

export const createCity = (setting: SceneContext): Scene =>
  setting.brief.mentions(streetWords) && !setting.brief.mentions(skylineWords)
    ? createStreet(setting)
    : createSkyline(setting);
