/** Space: stars, a nebula, and a galaxy, a planet or an astronaut when the prompt names them. */
import { createLayer, stillCamera } from '../../elements/layer.ts';
import { createMeteors, createStars, paintDust } from '../../elements/stars.ts';
import type { Scene, SceneContext, SceneObject } from '../scene.ts';
import { createAstronaut } from './astronaut.ts';
import { createGalaxy } from './galaxy.ts';
import { paintNebula } from './nebula.ts';
import { createPlanet } from './planet.ts';

const galaxyWords = /\b(galax|milky way|andromeda|spiral|black hole|event horizon|wormhole)/;
const planetWords =
  /\b(planet|earth|mars|saturn|jupiter|neptune|venus|pluto|moon|world|orbit|ring|astronaut)|ship\b/;

export function createSpace(scene: SceneContext): Scene {
  const { size, brief } = scene;
  const hasGalaxy = brief.mentions(galaxyWords);
  const isOpen = hasGalaxy || brief.mentions(/\b(nebula|stars|starry|cosmos|cosmic|universe)/);
  const hasPlanet = !isOpen || brief.mentions(planetWords);
  const hasAstronaut = brief.mentions(/\b(astronaut|cosmonaut|spacewalk|spaceman|spacewoman)/);
  const place = { depth: 0, top: 0, bottom: size.height, opaque: true };
  const sky = createLayer(scene, place, (context, edges) => {
    const strength = hasGalaxy ? 0.8 : hasPlanet ? 1.4 : 2.4;
    context.drawImage(paintNebula(scene, edges, { strength }), edges.left, edges.top);
    paintDust(context, scene, edges);
  });
  // The sky only moves when the camera turns or zooms.
  const isTurning = ['pan', 'tilt', 'zoom'].includes(brief.camera.kind);
  const isPortrait = size.height > size.width;
  const bodies: SceneObject[] = [];
  const stars = createStars(scene, { horizon: 1.5 });
  if (hasGalaxy) {
    bodies.push(
      createGalaxy(scene, {
        x: size.width * (hasPlanet ? 0.3 : 0.54),
        y: size.height * (hasPlanet ? 0.3 : 0.42),
        radius: Math.min(size.width * 0.44, size.height * 0.66) * (hasPlanet ? 0.45 : 1),
        ...{ depth: 0.12, lean: -0.36, open: isPortrait ? 0.6 : 0.46 },
      }),
    );
  }
  if (brief.shows('meteor') || brief.mentions(/\bcomet/)) {
    const drawMeteors = createMeteors(scene, size.height);
    bodies.push({ draw: (context, _camera, second) => drawMeteors(context, second) });
  }
  if (hasPlanet) bodies.push(createPlanet(scene));
  if (hasAstronaut) {
    bodies.push(
      createAstronaut(scene, {
        x: size.width * (isPortrait ? 0.36 : 0.27),
        y: size.height * (isPortrait ? 0.56 : 0.4),
        height: Math.min(size.width * 0.34, size.height * 0.4),
        ...{ depth: 0.75, sunSide: -1 },
      }),
    );
  }
  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      sky.draw(context, isTurning ? camera : stillCamera);
      stars.draw(context, second);
      for (const body of bodies) body.draw(context, camera, second);
    },
  };
}
