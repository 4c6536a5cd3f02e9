/** Under water: shafts of light, a reef, fish and jellyfish. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { along, lighten, mix } from '../../color.ts';
import { createSpecks } from '../../elements/atmosphere.ts';
import { paintSoft } from '../../elements/paint.ts';
import { createShafts } from '../../elements/shafts.ts';
import { drawSoft } from '../../elements/sprite.ts';
import { clamp } from '../../motion.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createFish } from './fish.ts';
import { createJellyfish } from './jellyfish.ts';
import { createReef } from './reef.ts';

export function createUnderwater(scene: SceneContext): Scene {
  const { brief, palette, size } = scene;
  const sunX = 0.38 + scene.random() * 0.3;
  const backdrop = createBackdrop(scene, sunX);
  const shafts = createShafts(scene, {
    ...{ x: sunX * size.width, slant: (sunX - 0.5) * 1.6, count: 6 },
    color: mix(palette.horizon, palette.light, 0.5),
    alpha: palette.night ? 0.16 : 0.3,
  });
  const reef = createReef(scene);
  const isDeep = brief.shows('jellyfish');
  const jellyfish = isDeep ? createJellyfish(scene) : null;
  const fish = !isDeep || brief.shows('fish') ? createFish(scene) : null;
  const specks = createSpecks(scene);

  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      backdrop(context, camera);
      reef.drawFar(context, camera);
      shafts(context, camera);
      fish?.drawFar(context, camera);
      jellyfish?.(context, camera);
      reef.drawNear(context, camera);
      fish?.drawNear(context, camera);
      specks(context, second);
    },
  };
}

function createBackdrop(scene: SceneContext, sunX: number) {
  const { size, palette, noise, random, camera } = scene;
  const { width, height } = size;
  const margin = camera.margin(0);
  const stops = [
    [0, mix(palette.low, palette.horizon, palette.night ? 0.1 : 0.5)],
    [0.2, mix(palette.low, palette.middle, 0.25)],
    [0.55, mix(palette.middle, palette.high, 0.25)],
    [1, mix(palette.high, palette.shade, 0.55)],
  ] as const;
  const start = random() * 100;
  const area = { width: width + margin.x * 2, height: height + margin.y * 2 };
  const image = paintSoft(area, { coarseness: 6, random }, (px, py) => {
    const [x, y] = [(px - margin.x) / height, (py - margin.y) / height];
    const away = Math.hypot((x - (sunX * width) / height) * 0.8, y + 0.05);
    const haze = noise.rough(x * 1.6 + start, y * 1.6, 3) * 0.06;
    const base = along(stops, clamp(y * 0.72 + away * 0.26 + haze));
    return lighten(base, mix(palette.horizon, palette.light, 0.5), Math.exp(-away * 4.2) * 0.75);
  });
  return (context: SKRSContext2D, view: Camera): void =>
    drawSoft(context, view, { image, x: -margin.x, y: -margin.y, depth: 0 });
}
