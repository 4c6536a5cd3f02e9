/**
 * The sky behind a landscape: a gradient, clouds, the sun or the moon, and northern lights. Painted
 * once, wider than the frame, then moved slowly sideways.
 */
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { along, type Color, lighten, mix, white } from '../color.ts';
import { clamp, smooth } from '../motion.ts';
import type { SceneContext } from '../scenes/scene.ts';
import type { Point } from '../size.ts';
import { createAurora } from './aurora.ts';
import { createClouds } from './clouds.ts';
import { drawSoft } from './layer.ts';
import { paintSoft } from './paint.ts';
import { createSun, drawWideHalo } from './sun.ts';

export type SkyOptions = {
  /** Top of the land, as a share of the frame height. */
  readonly horizon: number;
  readonly sun: Point;
  /** Bottom of the painted sky, as a share of the frame height; land hides the rest. */
  readonly reach: number;
};

export type Sky = {
  /** How much of the sun or moon shows through the clouds, from 0 to 1. */
  readonly clearness: number;
  draw(context: SKRSContext2D, camera: Camera): void;
};

const depth = 0;
const coarseness = 5;
const clearnesses = {
  any: 1,
  clear: 1,
  clouds: 0.75,
  fog: 0.4,
  rain: 0.18,
  storm: 0.12,
  snow: 0.3,
};

export function createSky(scene: SceneContext, options: SkyOptions): Sky {
  const { brief, random } = scene;
  const margin = scene.camera.margin(depth);
  const way = random() < 0.5 ? -1 : 1;
  const speed = driftOf(scene);
  const drift = Math.ceil(speed * scene.seconds);
  const clearness = clearnesses[brief.weather ?? 'any'];
  const left = -margin.x - (way === 1 ? drift : 0);
  const painted = paint(scene, options, { left, top: -margin.y, wider: drift });
  const place = { left, top: -margin.y };
  const light = { ...options.sun, clearness };
  drawWideHalo(painted.getContext('2d'), scene, { ...light, ...place });
  const sun = createSun(scene, light);
  const aurora = brief.shows('aurora') ? createAurora(scene, options) : null;

  return {
    clearness,
    draw(target, camera) {
      const x = left + way * Math.min(drift, speed * camera.second);
      drawSoft(target, camera, { image: painted, x, y: -margin.y, depth });
      camera.look(target, depth, () => {
        aurora?.(target, camera.second);
        sun(target);
      });
    },
  };
}

/** Pixels per second. Clouds rush in a time lapse. */
function driftOf({ size, brief, seconds }: SceneContext): number {
  const wind = brief.weather === 'storm' ? 2.2 : 1;
  const pace = brief.pace > 1.5 ? 5 : brief.pace;
  return Math.min(size.height * 0.006 * wind * pace, (size.width * 0.5) / seconds);
}

type SkyArea = { readonly left: number; readonly top: number; readonly wider: number };

function paint(scene: SceneContext, options: SkyOptions, place: SkyArea): Canvas {
  const { size, palette, random } = scene;
  const margin = scene.camera.margin(depth);
  const wide = size.width + margin.x * 2 + place.wider;
  const tall = Math.ceil(size.height * options.reach) + margin.y * 2;
  const stops = [
    [0, palette.high],
    [0.42, palette.middle],
    [0.8, palette.low],
    [1, palette.horizon],
  ] as const;
  const sun = { x: (options.sun.x * size.width) / size.height, y: options.sun.y };
  const clouds = createClouds(scene, { horizon: options.horizon, sun });
  const { bright, dark } = cloudColors(scene);
  const glow = palette.night ? 0.14 : 0.2;
  const clearness = clearnesses[scene.brief.weather ?? 'any'];
  return paintSoft({ width: wide, height: tall }, { coarseness, random }, (pixelX, pixelY) => {
    const x = (pixelX + place.left) / size.height;
    const y = (pixelY + place.top) / size.height;
    const clear = along(stops, clamp(y / options.horizon) ** 1.25);
    const near = Math.exp(-3.2 * Math.hypot(x - sun.x, (y - sun.y) * 1.2));
    const { cover, lit } = clouds(x, y);
    const sky = lighten(clear, palette.horizon, near * glow * (0.3 + 0.7 * clearness));
    if (cover <= 0.01) return sky;
    const airy = smooth(y / options.horizon, { from: 0.35, to: 1 }) * 0.5;
    const shadow = mix(dark, clear, 0.25 + airy);
    const shining = lighten(mix(bright, clear, airy), palette.light, near * 0.4 * clearness);
    return mix(sky, mix(shadow, shining, lit), cover);
  });
}

function cloudColors({ palette, brief }: SceneContext): { bright: Color; dark: Color } {
  const { high, middle, low, horizon, light, shade } = palette;
  if (brief.weather === 'storm') {
    return { bright: mix(middle, horizon, 0.22), dark: mix(high, shade, 0.55) };
  }
  if (brief.weather === 'rain' || brief.weather === 'snow') {
    return { bright: mix(low, horizon, 0.3), dark: mix(high, middle, 0.55) };
  }
  return {
    dawn: { bright: mix(low, light, 0.32), dark: mix(middle, high, 0.3) },
    day: { bright: mix(light, white, 0.5), dark: mix(low, middle, 0.62) },
    dusk: { bright: mix(low, light, 0.2), dark: mix(middle, high, 0.5) },
    night: { bright: mix(middle, low, 0.7), dark: mix(high, middle, 0.35) },
  }[palette.time];
}
