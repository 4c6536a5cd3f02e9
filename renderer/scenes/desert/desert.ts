/** Rows of dunes under a wide sky. */
import { type Color, mix, white } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import type { Land } from '../../elements/land.ts';
import { createSky } from '../../elements/sky.ts';
import { between } from '../../random.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createDune } from './dune.ts';

const horizon = 0.6;

type Sand = {
  readonly lit: Color;
  readonly shade: Color;
  readonly haze: Color;
  readonly sunSide: 1 | -1;
};

const steps = [
  { depth: 0.05, base: 0.63, rise: 0.05, wide: 0.5, ripples: 0 },
  { depth: 0.16, base: 0.7, rise: 0.12, wide: 0.8, ripples: 0 },
  { depth: 0.36, base: 0.82, rise: 0.17, wide: 1.1, ripples: 0.5 },
  { depth: 0.75, base: 1.02, rise: 0.22, wide: 1.5, ripples: 1 },
] as const;

export function createDesert(scene: SceneContext): Scene {
  const { size } = scene;
  const sun = sunOf(scene);
  const sand = sandOf(scene, sun.x);
  const dunes = dunesOf(scene, sand);
  const reach = Math.min(1, dunes[0]!.lowest / size.height + 0.02);
  const sky = createSky(scene, { horizon, sun, reach });
  const air = createAir(scene, { horizon });

  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      for (const dune of dunes) dune.draw(context, camera);
      air.drawSpecks(context, second);
    },
  };
}

function sunOf({ palette, random }: SceneContext): { readonly x: number; readonly y: number } {
  const x = between(random, { from: 0.22, to: 0.78 });
  const y = between(random, { from: 0.38, to: 0.44 });
  return { x, y: y - { dawn: 0, day: 0.22, dusk: 0, night: 0.16 }[palette.time] };
}

function sandOf({ palette }: SceneContext, sunX: number): Sand {
  const { horizon: glow, low, middle, light, shade } = palette;
  const bright = mix([232, 182, 118], mix(glow, light, 0.5), palette.time === 'day' ? 0.3 : 0.45);
  const dark: Color = mix([150, 92, 60], shade, 0.3);
  const night = palette.night;
  return {
    lit: night ? mix(mix(low, middle, 0.25), white, 0.12) : bright,
    shade: night
      ? mix(shade, middle, 0.45)
      : mix(dark, mix(middle, shade, 0.5), palette.time === 'day' ? 0.2 : 0.6),
    haze: mix(glow, low, 0.4),
    sunSide: sunX < 0.5 ? -1 : 1,
  };
}

function dunesOf(scene: SceneContext, sand: Sand): readonly Land[] {
  const dunes: Land[] = [];
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const hazy = [0.72, 0.46, 0.2, 0][index]!;
    const hidden = dunes[0]?.lowest ?? null;
    dunes.unshift(createDune(scene, { ...steps[index]!, ...sand, hazy, hidden }));
  }
  return dunes;
}
