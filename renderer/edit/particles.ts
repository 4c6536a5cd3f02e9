/** What a prompt lets fall, drift or rise through an edited video or a still image. */
import type { Color } from '../color.ts';
import { createSpecks } from '../elements/atmosphere.ts';
import { createDrifters } from '../elements/drifters.ts';
import { createFogBank } from '../elements/fog.ts';
import { createRainfall } from '../elements/rainfall.ts';
import { createSnowfall } from '../elements/snowfall.ts';
import { createSparks } from '../elements/sparks.ts';
import type { DrawAt, SceneContext } from '../scenes/scene.ts';

export type ParticleKind = 'snow' | 'rain' | 'fog' | 'petals' | 'leaves' | 'embers' | 'sparkles';

const rose: readonly Color[] = [
  [255, 201, 216],
  [248, 160, 188],
  [255, 228, 236],
];
const rust: readonly Color[] = [
  [216, 112, 42],
  [184, 70, 28],
  [232, 168, 58],
];

const makers: Record<ParticleKind, (scene: SceneContext) => DrawAt> = {
  // An image has no dark sky, so they must be stronger than in a scene.
  snow: (scene) => createSnowfall(scene, 2.2),
  rain: (scene) => createRainfall(scene, 1.8),
  fog(scene) {
    const far = createFogBank(scene, { y: 0.55, tall: 0.8, depth: 0.2, alpha: 0.5 });
    const near = createFogBank(scene, { y: 0.85, tall: 0.6, depth: 0.6, alpha: 0.6 });
    return (context, second) => {
      far(context, second);
      near(context, second);
    };
  },
  petals: (scene) => falling(scene, rose, 0.62),
  leaves: (scene) => falling(scene, rust, 0.46),
  embers(scene) {
    const { width, height } = scene.size;
    return createSparks(scene, {
      ...{ x: width / 2, y: height, spread: width * 0.9, rise: height, count: 150 },
      colors: [
        [255, 196, 110],
        [255, 104, 30],
      ],
    });
  },
  sparkles: (scene) => createSpecks(scene, { count: 110, alpha: 0.8, large: 18 }),
};

const falling = (scene: SceneContext, colors: readonly Color[], round: number): DrawAt =>
  createDrifters(scene, { count: 64, colors, length: 44, fall: 0.17, wind: 0.09, round });

export const createParticles = (kind: ParticleKind, scene: SceneContext): DrawAt =>
  makers[kind](scene);
