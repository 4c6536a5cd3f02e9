/** The Earth, or a planet of gas with or without rings. */
import { type Color, mix } from '../../color.ts';
import { createLayer } from '../../elements/layer.ts';
import { between } from '../../random.ts';
import type { SceneContext, SceneObject } from '../scene.ts';
import { createGlobe, type GlobePlan, paintAir } from './globe.ts';
import { createRings } from './rings.ts';
import { banded, earth } from './surfaces.ts';

const depth = 0.3;

const colorsOf = ({ palette }: SceneContext): readonly [Color, Color, Color, Color] => [
  mix(palette.middle, palette.low, 0.35),
  palette.low,
  palette.horizon,
  mix(palette.horizon, palette.light, 0.6),
];

export function createPlanet(scene: SceneContext): SceneObject {
  const { size, palette, random, noise, brief } = scene;
  const isEarth = brief.shows('earth');
  const isRinged = !isEarth && brief.shows('rings');
  const { width, height } = size;
  const isPortrait = height > width;
  const radius = Math.min(width * (isPortrait ? 0.3 : 0.2), height * 0.29) * (isRinged ? 0.86 : 1);
  const x = width * (isRinged && width < height * 1.3 ? 0.54 : isPortrait ? 0.56 : 0.66);
  const y = height * (isPortrait ? 0.36 : 0.42);
  // A direction of length 1.
  const sun = { x: -0.701, y: -0.433, z: 0.567 };
  const lean = between(random, { from: -0.42, to: -0.2 });
  const rings = isRinged
    ? createRings(scene, {
        ...{ x, y, radius, lean, open: 0.26 },
        colors: [mix(palette.horizon, palette.low, 0.3), mix(palette.horizon, palette.light, 0.5)],
      })
    : null;
  const turns = Math.min(0.25, 0.014 * scene.seconds * brief.pace);
  const across = 0.62 + turns;
  const plan: GlobePlan = {
    ...{ x, y, radius, lean, sun, turns, pitch: 0.2, speed: turns / scene.seconds },
    surface: (isEarth ? earth : banded)({ random, noise, across, colors: colorsOf(scene) }),
  };
  const globe = createGlobe(plan);
  const place = { depth, top: y - radius * 1.5, bottom: y + radius * 1.5 };
  const behind = createLayer(scene, place, (context) => {
    paintAir(context, plan);
    rings?.paintBehind(context);
  });
  const before = rings && createLayer(scene, place, (context) => rings.paintBefore(context));
  return {
    draw(context, camera, second) {
      behind.draw(context, camera);
      camera.look(context, depth, () => globe.draw(context, second));
      before?.draw(context, camera);
    },
  };
}
