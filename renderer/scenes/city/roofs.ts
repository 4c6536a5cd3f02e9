/**
 * What lies before a skyline on land: a quarter seen over its roofs, and an avenue with traffic.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { css, mix } from '../../color.ts';
import { createLayer, edgesOf } from '../../elements/layer.ts';
import { clamp, smooth } from '../../motion.ts';
import { glowOf, type SceneContext } from '../scene.ts';
import { coarserAt, paintBox, planQuarter, project, type View } from './quarter.ts';
import { createTraffic } from './traffic.ts';
import type { WindowLook } from './windows.ts';

export type RoofsPlan = {
  /** Where the land meets the skyline, in pixels. */
  readonly base: number;
  readonly look: WindowLook;
};

export const roofsDepth = 0.42;
const farthest = 26;
const facade = { floors: 5.5, columns: 5, hasShops: false, isFine: false };

export function createRoofs(setting: SceneContext, { base, look }: RoofsPlan) {
  const { size, random, unit } = setting;
  const { light } = look;
  const view: View = {
    x: size.width * (0.5 + light.sunSide * 0.1),
    y: base - 6 * unit,
    focal: (size.height - base) * 0.95,
    eye: 2.3,
  };
  // A little nearer than the frame's foot shows, whatever the camera does.
  const nearest = (view.focal * view.eye) / (size.height * 1.12 - view.y);
  const place = { depth: roofsDepth, top: base - 30 * unit, bottom: size.height };
  const layer = createLayer(setting, place, (context) => {
    const edges = edgesOf(setting, place);
    paintGround(context, edges, { view, look, base });
    const boxes = planQuarter(random, {
      ...{ near: nearest, far: farthest, lamps: look.lamps.length },
      rowsAt: (away) => Math.ceil((size.width * away) / view.focal / 3.2 / coarserAt(away)) + 1,
      // Towards the skyline they rise above the eye, so that no bare land is seen behind them.
      upAt: (chance, { away }) =>
        (0.3 + chance() ** 1.6 * 1.5) *
        (1 + smooth(away, { from: 6, to: 18 }) * (0.6 + chance() * 2.4)),
    });
    for (const box of boxes) {
      const hazy = clamp(light.hazy + (1 - light.hazy) * (box.near / farthest) ** 0.6 * 0.8);
      paintBox(context, random, {
        box,
        view,
        look: { ...look, light: { ...light, hazy } },
        facade,
      });
    }
    if (light.dark > 0.4) paintLamps(context, view, { nearest, unit });
  });
  const traffic = createTraffic(random, {
    ...{ view, near: nearest * 0.9, far: farthest, count: 44, speed: 1.3 * setting.brief.pace },
    isNight: light.dark > 0.4,
  });

  return {
    draw(context: SKRSContext2D, camera: Camera, second: number): void {
      layer.draw(context, camera);
      camera.look(context, roofsDepth, () => traffic.draw(context, second));
    },
  };
}

type Ground = { readonly view: View; readonly look: WindowLook; readonly base: number };

/** The land between the boxes, and the avenue through it. */
function paintGround(
  context: SKRSContext2D,
  { left, right, bottom }: { left: number; right: number; bottom: number },
  { view, look, base }: Ground,
): void {
  const { light } = look;
  const far = mix(light.haze, light.sun, 0.15);
  const near = mix(light.shade, light.haze, light.dark > 0.5 ? 0.1 : 0.25);
  const land = context.createLinearGradient(0, base, 0, bottom);
  land.addColorStop(0, css(far));
  land.addColorStop(0.35, css(mix(near, far, 0.35)));
  land.addColorStop(1, css(near));
  context.fillStyle = land;
  context.fillRect(left, base, right - left, bottom - base);
  const road = mix(near, light.dark > 0.5 ? light.sun : [120, 122, 126], 0.22);
  const paving = context.createLinearGradient(0, base, 0, bottom);
  paving.addColorStop(0, css(far));
  paving.addColorStop(0.3, css(mix(road, far, 0.3)));
  paving.addColorStop(1, css(road));
  context.fillStyle = paving;
  context.beginPath();
  for (const [across, away] of [
    [-1, 0.9],
    [1, 0.9],
    [1, farthest * 2],
    [-1, farthest * 2],
  ] as const) {
    const { x, y } = project(view, { across, up: 0, away });
    context.lineTo(x, y);
  }
  context.fill();
}

/** Street lamps on both sides of the avenue. */
function paintLamps(
  context: SKRSContext2D,
  view: View,
  { nearest, unit }: { readonly nearest: number; readonly unit: number },
): void {
  const lamp = glowOf([255, 196, 120], 64);
  context.globalCompositeOperation = 'lighter';
  for (let away = farthest; away > nearest; away *= 0.86) {
    for (const across of [-1.12, 1.12]) {
      const { x, y } = project(view, { across, up: 0.3, away });
      const radius = Math.max(1.4 * unit, (view.focal * 0.16) / away);
      context.globalAlpha = 0.75;
      context.drawImage(lamp, x - radius, y - radius, radius * 2, radius * 2);
    }
  }
  context.globalAlpha = 1;
  context.globalCompositeOperation = 'source-over';
}
