/** Text to video: the scene the prompt's words choose. */
import type { Composition, CompositionContext } from './composition.ts';

export function createText(stage: CompositionContext): Composition {
  const scene = stage.scene();
  return {
    draw: (context, second) => scene.draw(context, second),
    presence: () => 1,
  };
}
