/**
 * The sky and the air of a scene: stars behind the land, and in front of it rain, snow, fog or
 * specks of light, as the prompt asks.
 */
import { wrap } from '../motion.ts';
import {
  addLight,
  type DrawAt,
  type DrawSeen,
  glowOf,
  type Scene,
  type SceneContext,
} from '../scenes/scene.ts';
import { createSky, type Sky, type SkyOptions } from './sky.ts';
import { createStars } from './stars.ts';
import { createFogBank, createRainfall, createSnowfall } from './weather.ts';

/** `prepare` returns what stands between the stars and the air, from far to near. */
export function createLandscape(
  scene: SceneContext,
  options: SkyOptions,
  prepare: (sky: Sky) => readonly DrawSeen[],
): Scene {
  const sky = createSky(scene, options);
  const stars = scene.palette.night ? createStars(scene, options) : null;
  const air = createAir(scene, options.horizon);
  const land = prepare(sky);
  return (context, second) => {
    const camera = scene.camera.at(second);
    sky.draw(context, camera);
    stars?.(context, second);
    for (const draw of land) draw(context, camera);
    for (const draw of air) draw(context, second);
  };
}

export function createAir(scene: SceneContext, horizon: number): readonly DrawAt[] {
  const { brief } = scene;
  const overlays: DrawAt[] = [];
  if (brief.weather === 'fog') {
    const below = 1 - horizon;
    overlays.push(
      createFogBank(scene, { y: horizon + 0.02, tall: 0.24, depth: 0.15, alpha: 0.8 }),
      createFogBank(scene, { y: horizon + below * 0.5, tall: 0.3, depth: 0.5, alpha: 0.6 }),
    );
  }
  if (brief.weather === 'rain' || brief.weather === 'storm') overlays.push(createRainfall(scene));
  else if (brief.weather === 'snow') overlays.push(createSnowfall(scene));
  else overlays.push(createSpecks(scene));
  return overlays;
}

function createSpecks({ size, palette, random, unit, camera }: SceneContext): DrawAt {
  const dot = glowOf(palette.light, 48);
  const specks = Array.from({ length: 26 }, () => ({
    x: random(),
    y: random(),
    depth: 0.2 + random() * 0.8,
    phase: random() * Math.PI * 2,
    pace: 0.4 + random(),
  }));
  return (context, second) => {
    const view = camera.at(second);
    addLight(context, () => {
      for (const { x, y, depth, phase, pace } of specks) {
        const sway = Math.sin(second * 0.5 * pace + phase) * 0.02;
        const across = wrap(x + sway + second * 0.01 * depth + view.x(depth) / size.width);
        const down = wrap(y - second * 0.012 * pace + view.y(depth) / size.height);
        const radius = (1.2 + depth ** 2 * 7) * unit;
        const twinkle = 0.6 + 0.4 * Math.sin(second * pace + phase);
        context.globalAlpha = 0.3 * twinkle * (1.2 - depth * 0.7);
        const [left, top] = [across * size.width - radius, down * size.height - radius];
        context.drawImage(dot, left, top, radius * 2, radius * 2);
      }
    });
  };
}
