/**
 * A city from afar: towers behind towers under the sky of the hour. In front either water, which
 * mirrors them, or roofs and an avenue with its traffic.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { css, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createBursts } from '../../elements/fireworks.ts';
import { resting } from '../../elements/layer.ts';
import { createReflection } from '../../elements/reflection.ts';
import { createSky } from '../../elements/sky.ts';
import { footOf } from '../../elements/visible-tiles.ts';
import { between } from '../../random.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createBeams } from './beams.ts';
import { type Blocks, createBlocks } from './blocks.ts';
import { createBridge } from './bridge.ts';
import { isNeon, lookOf } from './daylight.ts';
import { createRoofs, roofsDepth } from './roofs.ts';

const waterWords = /\b(river|bay|harbo|water|lake|canal|reflect|bridge|bosphorus|sea|ocean|coast)/;
const waterDepth = 0.25;
const bridgeWords = /\b(bridge|brooklyn|san francisco|bosphorus)/;

export function createSkyline(setting: SceneContext): Scene {
  const { brief, random, palette } = setting;
  const isWet = brief.weather === 'rain' || brief.weather === 'storm';
  const hasWater = brief.mentions(waterWords) || (isWet && !brief.mentions(/\broof/));
  const ground = hasWater ? 0.68 : 0.74;
  const side = random() < 0.5 ? 1 : -1;
  const sun = {
    x: 0.5 + side * between(random, { from: 0.14, to: 0.26 }),
    y: between(random, { from: 0.24, to: 0.34 }),
  };
  const near = hasWater ? waterDepth : roofsDepth;
  const skyFoot = footOf(setting, { depth: 0, near, top: setting.size.height * ground });
  const sky = createSky(setting, { horizon: ground, sun, reach: skyFoot / setting.size.height });
  const air = createAir(setting, { horizon: ground });
  const [far, middle] = createTowers(setting, { ground, side, near });
  const wantsBeams =
    brief.mood === 'epic' || brief.mentions(/\b(searchlight|premiere|gotham|party)/);
  const beams = createBeams(setting, {
    depth: 0.12,
    base: setting.size.height * ground,
    searchlights: palette.night && wantsBeams ? 3 : 0,
    aircraft: palette.night ? 2 : 0,
  });
  const bursts = brief.mentions(/\bfirework/) ? createBursts(setting) : null;
  const front = hasWater
    ? createWaterfront(setting, {
        ground,
        paint(context) {
          paintAfterglow(context, setting, ground);
          sky.draw(context, resting);
          far.draw(context, resting, 0);
          middle.draw(context, resting, 0);
        },
      })
    : createRoofs(setting, {
        base: setting.size.height * ground,
        look: lookOf(setting, { hazy: 0.06, pitch: 9 * setting.unit, sunSide: side }),
      });

  return {
    draw(context, second) {
      const camera = setting.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      beams.draw(context, camera, second);
      if (bursts) camera.look(context, 0.08, () => bursts(context, second));
      far.draw(context, camera, second);
      middle.draw(context, camera, second);
      front.draw(context, camera, second);
      air.drawSpecks(context, second);
    },
  };
}

/** The sky's colors where its picture ends: water mirrors a little more than the frame shows. */
function paintAfterglow(
  context: SKRSContext2D,
  { size, palette }: SceneContext,
  ground: number,
): void {
  const sky = context.createLinearGradient(0, 0, 0, size.height * ground);
  sky.addColorStop(0, css(palette.high));
  sky.addColorStop(0.5, css(palette.middle));
  sky.addColorStop(1, css(mix(palette.low, palette.horizon, 0.6)));
  context.fillStyle = sky;
  context.fillRect(-size.width, -size.height, size.width * 3, size.height * 2);
}

/** Two layers of towers, the highest of them away from the sun. */
function createTowers(
  setting: SceneContext,
  options: { readonly ground: number; readonly side: 1 | -1; readonly near: number },
): readonly [Blocks, Blocks] {
  const { size, noise, unit } = setting;
  const { side, near } = options;
  const tall = Math.min(size.height, size.width * 1.1);
  const base = size.height * options.ground;
  // They stand a little below the ground's edge, or tilting would show their feet.
  const standing = (depth: number) => {
    const foot = footOf(setting, { depth, near, top: base });
    return { depth, base: foot, bottom: foot };
  };
  const centre = size.width * (0.5 - side * 0.16);
  const profile = (x: number, row: number): number => {
    const central = Math.exp(-(((x - centre) / (tall * 0.5)) ** 2));
    return 0.4 + 0.6 * central + noise.at((x / tall) * 3.1, row) * 0.3;
  };
  const middle = createBlocks(setting, {
    ...standing(0.25),
    look: lookOf(setting, { hazy: 0.34, pitch: 7.5 * unit, sunSide: side }),
    widths: { from: 44 * unit, to: 100 * unit },
    gap: 26 * unit,
    heightAt: (x) => tall * 0.46 * profile(x, 7.5),
    landmark: { x: centre, height: tall * 0.56 },
    signs: isNeon(setting) ? 0.7 : 0,
    behind: [],
  });
  const far = createBlocks(setting, {
    ...standing(0.1),
    look: lookOf(setting, { hazy: 0.72, pitch: 5 * unit, sunSide: side }),
    widths: { from: 26 * unit, to: 58 * unit },
    gap: 10 * unit,
    heightAt: (x) => tall * 0.4 * profile(x, 1.5),
    landmark: null,
    signs: 0,
    behind: [middle.layer],
  });
  return [far, middle];
}

/** Water before the towers, and a bridge over it when one is asked for. */
function createWaterfront(
  setting: SceneContext,
  { ground, paint }: { readonly ground: number; paint(context: SKRSContext2D): void },
) {
  const { palette, size, brief } = setting;
  const reflection = createReflection(setting, {
    depth: waterDepth,
    top: size.height * ground,
    far: mix(palette.low, palette.middle, 0.4),
    near: mix(palette.shade, palette.high, 0.5),
    bright: 0.8,
    paint,
  });
  const bridge = brief.mentions(bridgeWords) ? createBridge(setting, { ground }) : null;
  return {
    draw(context: SKRSContext2D, camera: Camera, second: number): void {
      reflection.draw(context, camera, second);
      bridge?.draw(context, camera, second);
    },
  };
}
