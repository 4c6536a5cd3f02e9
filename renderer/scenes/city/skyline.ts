/** A skyline at night: two layers of towers, and water in front that reflects them. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { colorsOf, css, mix } from '../../color.ts';
import { createLandscape } from '../../elements/atmosphere.ts';
import { footOf, stillCamera } from '../../elements/layer.ts';
import { createReflection } from '../../elements/reflection.ts';
import { between } from '../../random.ts';
import type { DrawSeen, Scene, SceneContext } from '../scene.ts';
import { createBlocks } from './blocks.ts';
import type { WindowLook } from './building.ts';

const ground = 0.68;
const waterDepth = 0.25;

export function createSkyline(scene: SceneContext): Scene {
  const { random, size, palette } = scene;
  const side = random() < 0.5 ? 1 : -1;
  const sun = {
    x: 0.5 + side * between(random, { from: 0.14, to: 0.26 }),
    y: between(random, { from: 0.24, to: 0.34 }),
  };
  const skyFoot = footOf(scene, { depth: 0, near: waterDepth, top: size.height * ground });
  const reach = skyFoot / size.height;
  return createLandscape(scene, { horizon: ground, sun, reach }, (sky) => {
    const towers = createTowers(scene, side);
    const reflection = createReflection(scene, {
      depth: waterDepth,
      top: size.height * ground,
      far: mix(palette.low, palette.middle, 0.4),
      near: mix(palette.shade, palette.high, 0.5),
      bright: 0.8,
      paint(context) {
        paintAfterglow(context, scene);
        for (const draw of [sky.draw, ...towers]) draw(context, stillCamera);
      },
    });
    return [...towers, reflection];
  });
}

/** The sky's colors above its image, since the water reflects more than the frame shows. */
function paintAfterglow(context: SKRSContext2D, { size, palette }: SceneContext): void {
  const sky = context.createLinearGradient(0, 0, 0, size.height * ground);
  sky.addColorStop(0, css(palette.high));
  sky.addColorStop(0.5, css(palette.middle));
  sky.addColorStop(1, css(mix(palette.low, palette.horizon, 0.6)));
  context.fillStyle = sky;
  context.fillRect(-size.width, -size.height, size.width * 3, size.height * 2);
}

const warmLamps = colorsOf('ffce80 ffe2ac ffb868 d6e8ff');
const neonLamps = colorsOf('ffd696 ff8ccd 7ee8ff be96ff');

const isNeon = ({ brief, palette }: SceneContext): boolean =>
  palette.name === 'neon' || brief.look === 'neon' || brief.mentions(/\b(cyber|tokyo)/);

function lookOf(
  scene: SceneContext,
  { hazy, ...plan }: { readonly hazy: number; readonly pitch: number; readonly sunSide: 1 | -1 },
): WindowLook {
  const { palette, brief } = scene;
  const light = {
    ...plan,
    haze: mix(palette.low, palette.middle, 0.4),
    hazy: Math.min(0.92, hazy * (brief.weather === 'fog' ? 1.4 : 0.9)),
    sun: mix(palette.horizon, palette.low, 0.4),
    shade: palette.shade,
  };
  return { light, lamps: isNeon(scene) ? neonLamps : warmLamps };
}

function createTowers(scene: SceneContext, side: 1 | -1): readonly DrawSeen[] {
  const { size, noise, unit } = scene;
  const tall = Math.min(size.height, size.width * 1.1);
  const base = size.height * ground;
  // Towers reach below the shore, so that tilting never shows their feet.
  const standing = (depth: number) => {
    const foot = footOf(scene, { depth, near: waterDepth, top: base });
    return { depth, base: foot, bottom: foot };
  };
  const center = size.width * (0.5 - side * 0.16);
  const profile = (x: number, row: number): number => {
    const central = Math.exp(-(((x - center) / (tall * 0.5)) ** 2));
    return 0.4 + 0.6 * central + noise.at((x / tall) * 3.1, row) * 0.3;
  };
  const middle = createBlocks(scene, {
    ...standing(0.25),
    look: lookOf(scene, { hazy: 0.34, pitch: 7.5 * unit, sunSide: side }),
    widths: { from: 44 * unit, to: 100 * unit },
    gap: 26 * unit,
    heightAt: (x) => tall * 0.46 * profile(x, 7.5),
    landmark: { x: center, height: tall * 0.56 },
    signs: isNeon(scene) ? 0.7 : 0,
  });
  const far = createBlocks(scene, {
    ...standing(0.1),
    look: lookOf(scene, { hazy: 0.72, pitch: 5 * unit, sunSide: side }),
    widths: { from: 26 * unit, to: 58 * unit },
    gap: 10 * unit,
    heightAt: (x) => tall * 0.4 * profile(x, 1.5),
    landmark: null,
    signs: 0,
  });
  return [far, middle];
}
