/** Space: stars and a nebula, and the Earth or a ringed planet when the prompt names one. */
import { createLayer, stillCamera } from '../../elements/layer.ts';
import { createStars, paintDust } from '../../elements/stars.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { paintNebula } from './nebula.ts';
import { createPlanet } from './planet.ts';

export function createSpace(scene: SceneContext): Scene {
  const { size, brief } = scene;
  const planet = brief.shows('earth') || brief.shows('planet') ? createPlanet(scene) : null;
  const place = { depth: 0, top: 0, bottom: size.height, opaque: true };
  const sky = createLayer(scene, place, (context, edges) => {
    const strength = planet ? 1.4 : 2.4;
    context.drawImage(paintNebula(scene, edges, { strength }), edges.left, edges.top);
    paintDust(context, scene, edges);
  });
  const stars = createStars(scene, { horizon: 1.5 });
  // The sky only moves when the camera turns or zooms.
  const isTurning = ['pan', 'tilt', 'zoom'].includes(brief.camera.kind);
  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      sky.draw(context, isTurning ? camera : stillCamera);
      stars.draw(context, second);
      planet?.draw(context, camera);
    },
  };
}
