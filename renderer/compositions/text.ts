/** Text to video: the scene that the prompt chooses. */
import type { Composition, CompositionContext } from './composition.ts';

export function createText(clip: CompositionContext): Composition {
  const scene = clip.scene();
  return {
    draw: (context, second) => scene.draw(context, second),
    captionOpacity: () => 1,
  };
}
