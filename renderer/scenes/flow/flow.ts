/**
 * What is shown for prompts that name no place: light, silk, ink, glass, by their words and mood.
 */
import type { Mood } from '../../sound/sound.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createInk } from './ink.ts';
import { createLightLines } from './light-lines.ts';
import { createOrbs } from './orbs.ts';
import { createPointField } from './point-field.ts';
import { createSilk } from './silk.ts';
import { createSoundWaves } from './sound-waves.ts';

type Maker = (setting: SceneContext) => Scene;

const byWord: readonly (readonly [RegExp, Maker])[] = [
  [
    /\b(music|song|sound|melod|rhythm|beat|concert|piano|guitar|violin|sing|jazz|dj|audio)/,
    createSoundWaves,
  ],
  [
    /\b(data|digital|network|ai|artificial|tech|code|comput|machine|robot|future|cyber|quantum)/,
    createPointField,
  ],
  [/\b(silk|fabric|cloth|velvet|satin|ribbon|textile|drape)/, createSilk],
  [/\b(ink|paint|smoke|liquid|fluid|watercolou?r|marble|dye|swirl)/, createInk],
  [/\b(glass|crystal|bubble|orb|sphere|geometr|shape|abstract|jelly|balloon|marble)/, createOrbs],
  [/\b(line|light|energy|stream|laser|beam)/, createLightLines],
];

/** What suits a mood; which of them, the seed decides. */
const byMood: Record<Mood, readonly [Maker, ...Maker[]]> = {
  calm: [createLightLines, createSilk, createOrbs],
  dreamy: [createOrbs, createInk, createSilk],
  joyful: [createOrbs, createLightLines, createSilk],
  epic: [createLightLines, createInk, createPointField],
  dark: [createInk, createLightLines],
  tense: [createPointField, createLightLines, createInk],
};

export function createFlow(setting: SceneContext): Scene {
  const { brief, random } = setting;
  const named = byWord.find(([pattern]) => brief.mentions(pattern))?.[1];
  const suiting = byMood[brief.mood];
  const any = suiting[Math.floor(random() * suiting.length)]!;
  return (named ?? any)(setting);
}
