/** Text to video: the scene the prompt's words choose. */
import type { Mode, Stage } from './composition.ts';

export function createText(stage: Stage): Mode {
  const scene = stage.scene();
  return {
    draw: (context, second) => scene.draw(context, second),
    presence: () => 1,
  };
}
