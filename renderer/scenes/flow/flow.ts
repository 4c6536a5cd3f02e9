/** Abstract scenes for prompts that name no place: sound waves, silk or lines of light. */
import { createCanvas } from '@napi-rs/canvas';
import { cameraPath } from '../../camera.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createStreams, createStrings } from './glowing-lines.ts';
import { createSilk } from './silk.ts';

const flowDepth = 0.5;

type Maker = (scene: SceneContext) => Scene;

const byWord: readonly (readonly [RegExp, Maker])[] = [
  [
    /\b(music|song|sound|melod|rhythm|beat|concert|piano|guitar|violin|sing|jazz|dj|audio)/,
    createStrings,
  ],
  [/\b(silk|fabric|cloth|velvet|satin|ribbon|textile|drape|ink|paint|liquid|fluid)/, createSilk],
  [/\b(line|light|energy|stream|laser|beam|data|digital|network|tech|code)/, createStreams],
];

/** Drawn beyond the frame and seen by a moving camera, if the prompt asks for one. */
export function createFlow(scene: SceneContext): Scene {
  const { brief, camera, size } = scene;
  if (brief.camera.kind === 'drift' || brief.camera.kind === 'still') return createAbstract(scene);
  const margin = camera.margin(flowDepth);
  const whole = { width: size.width + margin.x * 2, height: size.height + margin.y * 2 };
  const still = { kind: 'still', direction: 1, pace: 1 } as const;
  const abstract = createAbstract({
    ...{
      ...scene,
      size: whole,
      camera: cameraPath(still, { size: whole, seconds: scene.seconds }),
    },
  });
  const canvas = createCanvas(whole.width, whole.height);
  const wholeContext = canvas.getContext('2d', { alpha: false });
  return {
    draw(context, second) {
      abstract.draw(wholeContext, second);
      camera.at(second).look(context, flowDepth, () => {
        context.drawImage(canvas, -margin.x, -margin.y);
      });
    },
  };
}

function createAbstract(scene: SceneContext): Scene {
  const { brief, random } = scene;
  const named = byWord.find(([pattern]) => brief.mentions(pattern))?.[1];
  const any = random() < 0.5 ? createSilk : createStreams;
  return (named ?? any)(scene);
}
