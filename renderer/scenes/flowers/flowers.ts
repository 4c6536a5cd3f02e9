/**
 * A meadow in bloom: hills in the distance, rows of swaying flowers, blurred ones
 * close to the camera, and petals.
 */
import { type Color, mix, white } from '../../color.ts';
import { createLandscape } from '../../elements/atmosphere.ts';
import { createDrifters } from '../../elements/drifters.ts';
import type { Land } from '../../elements/land.ts';
import { createRidge } from '../../elements/ridge.ts';
import { between } from '../../random.ts';
import type { DrawSeen, Scene, SceneContext } from '../scene.ts';
import { type Blossom, blurred, createBlossoms, flowerWords } from './blossom.ts';
import { createRow, type MeadowColors } from './flower-row.ts';

const horizon = 0.44;
const rowsCount = 6;

export function createFlowers(scene: SceneContext): Scene {
  const sun = { x: between(scene.random, { from: 0.25, to: 0.75 }), y: horizon - 0.14 };
  return createLandscape(scene, { horizon, sun, reach: horizon + 0.08 }, () => {
    const light = lightOf(scene);
    const hills = [0, 1].map((index) => hillOf(scene, index).draw);
    const blossoms = createBlossoms(petalColors(scene), scene);
    const rows = Array.from({ length: rowsCount }, (_, index) =>
      createRow(scene, { nearness: index / (rowsCount - 1), blossoms, light, horizon }),
    );
    const near = createNear(scene, blossoms);
    const petals = createDrifters(scene, {
      count: 16,
      colors: blossoms.map(({ petal }) => petal),
      length: 20,
      fall: 0.045,
      wind: 0.07,
      round: 0.7,
    });
    return [...hills, ...rows, (context, { second }) => petals(context, second), near];
  });
}

function lightOf({ palette }: SceneContext): MeadowColors {
  const fresh: Color = [112, 168, 62];
  const share = { dawn: 0.34, day: 0.12, dusk: 0.42, night: 0.62 }[palette.time];
  const grass = mix(fresh, mix(palette.low, palette.horizon, 0.4), share);
  const dark = palette.night ? 0.7 : 0.58;
  return {
    grass: palette.night ? mix(grass, palette.shade, 0.5) : grass,
    shade: mix(mix([24, 52, 30], palette.shade, 0.45), grass, 1 - dark - 0.2),
    haze: mix(palette.horizon, palette.low, 0.4),
  };
}

function petalColors({ brief, palette, random }: SceneContext): Color[] {
  const named: readonly (readonly [RegExp, Color])[] = [
    [new RegExp(`${flowerWords.poppy}|\\bred\\b`), [214, 44, 52]],
    [/\bpink/, [244, 142, 184]],
    [new RegExp(`\\bwhite|${flowerWords.daisy}`), [250, 248, 242]],
    [new RegExp(`\\byellow|${flowerWords.sunflower}`), [250, 200, 52]],
    [/\bpurple|\bviolet/, [150, 98, 214]],
    [/\bblue\b/, [88, 128, 232]],
    [/\borange/, [246, 138, 48]],
  ];
  const chosen = named.filter(([pattern]) => brief.mentions(pattern)).map(([, color]) => color);
  const mixture = named.map(([, color]) => color).toSorted(() => random() - 0.5);
  const colors = chosen.length > 0 ? [...chosen, ...chosen] : mixture.slice(0, 5);
  const evening = palette.night ? 0.45 : 0.08;
  const toned = colors.map((color) =>
    mix(color, palette.night ? palette.middle : palette.low, evening),
  );
  return [...toned, ...toned.map((color) => mix(color, white, 0.22))];
}

function hillOf(scene: SceneContext, index: number): Land {
  const { grass, haze } = lightOf(scene);
  const body = mix(haze, mix(grass, scene.palette.shade, 0.25), 0.42 + index * 0.28);
  return createRidge(scene, {
    depth: 0.06 + index * 0.08,
    base: horizon + 0.02 + index * 0.045,
    rise: 0.06,
    sharp: 0,
    stretch: 1.1,
    snowline: null,
    sunX: 0.5,
    hidden: null,
    body,
    lit: mix(body, grass, 0.3),
    mist: grass,
    misty: 0.5,
  });
}

function createNear(scene: SceneContext, blossoms: readonly Blossom[]): DrawSeen {
  const { size, random, unit } = scene;
  const heads = Array.from({ length: 4 }, (_, index) => ({
    image: blurred(blossoms[index % blossoms.length]!.image, 14),
    x:
      index % 2 === 0
        ? between(random, { from: -0.06, to: 0.1 })
        : between(random, { from: 0.9, to: 1.06 }),
    y: between(random, { from: 0.74, to: 1.02 }),
    radius: between(random, { from: 90, to: 170 }) * unit,
    phase: random() * 6,
  }));
  return (context, camera) => {
    for (const { image, x, y, radius, phase } of heads) {
      const sway = Math.sin(camera.second * 0.9 + phase) * 12 * unit;
      const left = x * size.width + camera.x(1) + sway - radius;
      context.globalAlpha = 0.85;
      context.drawImage(image, left, y * size.height - radius, radius * 2, radius * 2);
    }
    context.globalAlpha = 1;
  };
}
