/** Abstract scenes for prompts that name no place: sound waves, silk or lines of light. */
import type { Scene, SceneContext } from '../scene.ts';
import { createStreams, createStrings } from './glowing-lines.ts';
import { createSilk } from './silk.ts';

type Maker = (scene: SceneContext) => Scene;

const byWord: readonly (readonly [RegExp, Maker])[] = [
  [
    /\b(music|song|sound|melod|rhythm|beat|concert|piano|guitar|violin|sing|jazz|dj|audio)/,
    createStrings,
  ],
  [/\b(silk|fabric|cloth|velvet|satin|ribbon|textile|drape|ink|paint|liquid|fluid)/, createSilk],
  [/\b(line|light|energy|stream|laser|beam|data|digital|network|tech|code)/, createStreams],
];

export function createFlow(scene: SceneContext): Scene {
  const { brief, random } = scene;
  const named = byWord.find(([pattern]) => brief.mentions(pattern))?.[1];
  const any = random() < 0.5 ? createSilk : createStreams;
  return (named ?? any)(scene);
}
