/** Open water: reflected sky colors, ripples, and a path of sparkling light below the sun. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { along, type Color, css, lighten, mix, white } from '../../color.ts';
import { drawSoft } from '../../elements/layer.ts';
import { paintSoft } from '../../elements/paint.ts';
import { clamp, smooth } from '../../motion.ts';
import type { Point } from '../../size.ts';
import { addLight, type DrawSeen, type SceneContext } from '../scene.ts';

type WaterPlan = {
  readonly horizon: number;
  readonly sun: Point;
  readonly clearness: number;
  readonly reach: number;
};

const coarseness = 5;

export function createWater(scene: SceneContext, plan: WaterPlan): DrawSeen {
  const { size, camera } = scene;
  const margin = camera.margin(0);
  const top = Math.floor(size.height * plan.horizon);
  const bottom = Math.ceil(size.height * plan.reach) + margin.y;
  const place = { left: -margin.x, top, width: size.width + margin.x * 2, height: bottom - top };
  const surface = paintSurface(scene, plan, place);
  const drawRipples = createRipples(scene, place);
  const drawGlints = createGlints(scene, plan);
  return (context, view) => {
    drawSoft(context, view, { image: surface, x: place.left, y: place.top, depth: 0 });
    drawRipples(context, view);
    view.look(context, 0, () => drawGlints(context, view));
  };
}

type WaterArea = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

function paintSurface(scene: SceneContext, plan: WaterPlan, place: WaterArea) {
  const { size, palette, noise, random } = scene;
  const { horizon, low, middle, high, shade, light } = palette;
  const isDay = palette.time === 'day';
  const stops = [
    [0, mix(horizon, low, 0.4)],
    [0.1, mix(low, middle, isDay ? 0.6 : 0.45)],
    [0.5, mix(middle, high, 0.6)],
    [1, mix(high, shade, isDay ? 0.45 : 0.6)],
  ] as const;
  const [startX, startY] = [random() * 100, random() * 100];
  const tall = size.height * (1 - plan.horizon);
  return paintSoft(place, { coarseness, random }, (x, y) => {
    const down = clamp(y / tall);
    const across = (x + place.left - plan.sun.x * size.width) / size.height;
    const far = 1 / (0.12 + down);
    const streak = noise.rough(across * (0.8 + far * 0.25) + startX, far * 2.2 + startY, 3);
    const base = along(stops, clamp(down + streak * 0.1 * (0.3 + down)));
    const path = Math.exp(-Math.abs(across) / (0.1 + down * 0.22)) * (1 - down * 0.55);
    const shine = path * plan.clearness * (isDay ? 0.16 : palette.night ? 0.16 : 0.24);
    const lit = lighten(base, mix(horizon, light, 0.4), shine);
    return mix(lit, mix(horizon, white, 0.1), smooth(y, { from: 5 * scene.unit, to: 0 }) * 0.35);
  });
}

function createRipples(
  { size, palette, random, unit, brief, seconds }: SceneContext,
  place: WaterArea,
) {
  const { horizon, low, middle, light, shade } = palette;
  const tones = [
    [mix(middle, shade, 0.55), mix(low, horizon, 0.6)],
    [mix(middle, shade, 0.8), mix(horizon, light, 0.4)],
  ] as const;
  const speed = Math.min(size.height * 0.014 * brief.pace ** 0.7, (size.width * 0.6) / seconds);
  const drift = Math.ceil(speed * seconds);
  const sheets = tones.map(([dark, bright]) => {
    const context = createCanvas(place.width + drift, place.height).getContext('2d');
    const rows = Math.round(90 * Math.sqrt(place.height / (300 * unit)));
    for (let row = 1; row < rows; row += 1) {
      const near = ((row + random() - 0.5) / rows) ** 1.7;
      const marks = Math.ceil((context.canvas.width / size.height) * (7.5 - 4.5 * near));
      context.fillStyle = row % 3 === 0 ? css(bright, 0.16) : css(dark, 0.2 - 0.06 * near);
      context.beginPath();
      for (let mark = 0; mark < marks; mark += 1) {
        const half = size.height * (0.006 + 0.05 * near) * (0.4 + random() * 1.2);
        const thick = (0.5 + 2.2 * near) * unit * (0.6 + random() * 0.6);
        const [x, y] = [random() * context.canvas.width, near * place.height + random() * thick];
        context.moveTo(x - half, y);
        context.quadraticCurveTo(x, y - thick, x + half, y);
        context.quadraticCurveTo(x, y + thick * 0.6, x - half, y);
      }
      context.fill();
    }
    return context.canvas;
  });
  return (context: SKRSContext2D, view: Camera): void => {
    const gone = Math.min(drift, speed * view.second);
    for (const [index, image] of sheets.entries()) {
      const x = place.left - (index === 0 ? gone : drift - gone);
      const bob = Math.sin(view.second * (1.1 + index * 0.4) + index * 2) * 1.2 * unit;
      drawSoft(context, view, { image, x, y: place.top + 1 + bob, depth: 0 });
    }
  };
}

/** A crest, thick in the middle and pointed at both ends, that can be drawn at any size. */
function crestOf(color: Color): Canvas {
  const context = createCanvas(128, 16).getContext('2d');
  context.fillStyle = css(color);
  context.beginPath();
  context.moveTo(1, 9);
  context.quadraticCurveTo(64, -5, 127, 9);
  context.quadraticCurveTo(64, 20, 1, 9);
  context.fill();
  return context.canvas;
}

function createGlints(scene: SceneContext, plan: WaterPlan) {
  const { size, palette, noise, random, unit, brief } = scene;
  const { width, height } = size;
  const phase = random() * 100;
  const rowsCount = 96;
  const wide = palette.time === 'day' ? 2.1 : 1;
  const strong = (palette.night ? 0.9 : 1) * plan.clearness;
  const crest = crestOf(mix(palette.light, palette.horizon, palette.night ? 0.2 : 0.3));
  const side = Math.min(width, height * 1.5);
  const pace = brief.pace ** 0.7;
  const tall = height * (plan.reach + 0.04 - plan.horizon);
  const path = plan.sun.x * width;

  return (context: SKRSContext2D, { second }: Camera): void => {
    if (strong < 0.1) return;
    const time = second * pace;
    addLight(context, () => {
      for (let row = 0; row < rowsCount; row += 1) {
        const share = row / rowsCount;
        const near = share ** 1.7;
        const spread = side * (0.018 + near * 0.15) * wide;
        const y = height * plan.horizon + near * tall + 2 * unit;
        const thick = (0.9 + near * 2.6) * unit;
        for (let each = 0; each < 3; each += 1) {
          const flicker = noise.at(row * 0.73 + each * 19 + phase, time * (1.25 - share * 0.5));
          const strength = clamp((0.3 + 0.62 * flicker) * (1 - near * 0.45) * strong);
          if (strength < 0.05) continue;
          const wander = noise.at(row * 0.41 + each * 5, time * 0.6 + each * 13 + phase);
          const half = (spread / wide) * (0.1 + 0.38 * Math.abs(flicker));
          context.globalAlpha = strength * 0.85;
          const x = path + wander * spread * 1.5;
          context.drawImage(crest, x - half, y - thick, half * 2, thick * 2);
        }
      }
    });
  };
}
