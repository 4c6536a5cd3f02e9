/** Open water to the horizon, a path of light below the sun, headlands on either side. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { css, mix } from '../colour.ts';
import { clamp, wrap } from '../motion.ts';
import { between } from '../random.ts';
import { createAir } from './air.ts';
import type { Scene, Setting } from './scene.ts';
import { createSky } from './sky.ts';

const horizon = 0.58;
const glints = 90;
const swells = 56;
/** Glints are gathered by brightness, each group filled at once: many small fills are slow. */
const brightnesses = [0.14, 0.3, 0.5, 0.72] as const;

type Oval = {
  readonly x: number;
  readonly y: number;
  readonly across: number;
  readonly down: number;
};

export function createSea(setting: Setting): Scene {
  const { size, random } = setting;
  const sun = {
    x: between(random, { from: 0.36, to: 0.7 }),
    y: horizon - between(random, { from: 0.1, to: 0.15 }),
  };
  const sky = createSky(setting, { horizon, sun, reach: horizon + 0.01 });
  const air = createAir(setting, { horizon });
  const phase = random() * 100;
  const headlands = [headland(setting, { side: -1 }), headland(setting, { side: 1 })];

  return {
    draw(context, second) {
      const camera = setting.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      // The water lies under the sky and moves with it, or the path of light would leave the sun.
      camera.look(context, 0, () => {
        drawWater(context, setting);
        drawGlints(context, setting, { second, phase, path: sun.x * size.width });
        drawSwell(context, setting, { second, phase });
      });
      for (const draw of headlands) draw(context, camera);
      air.drawSpecks(context, second);
    },
  };
}

function drawWater(context: SKRSContext2D, { size, palette }: Setting): void {
  const { width, height } = size;
  const top = height * horizon;
  const water = context.createLinearGradient(0, top, 0, height);
  water.addColorStop(0, css(mix(palette.horizon, palette.low, 0.45)));
  water.addColorStop(0.12, css(mix(palette.low, palette.middle, 0.5)));
  water.addColorStop(0.5, css(mix(palette.middle, palette.high, 0.6)));
  water.addColorStop(1, css(mix(palette.high, palette.shade, 0.6)));
  context.fillStyle = water;
  context.fillRect(-width * 0.1, top, width * 1.2, height);
}

type Moment = { readonly second: number; readonly phase: number };

/** Where a row of the water stands; the nearest is just below the frame. */
const rowAt = ({ size }: Setting, nearness: number): number =>
  size.height * (horizon + nearness * (1.04 - horizon));

/** Long low waves, every other one lit, that drift to one side. */
function drawSwell(context: SKRSContext2D, setting: Setting, { second, phase }: Moment): void {
  const { palette, noise, unit } = setting;
  const { width } = setting.size;
  const lit = mix(palette.low, palette.horizon, 0.5);
  for (const [first, colour] of [palette.shade, lit].entries()) {
    context.fillStyle = css(colour, 0.16);
    context.beginPath();
    for (let wave = first; wave < swells; wave += 2) {
      const nearness = (wave / swells) ** 1.6;
      const sway = noise.at(wave * 1.31 + phase, second * 0.4);
      const drift = second * 0.008 * (1 + nearness * 2);
      addOval(context, {
        x: wrap(wave * 0.618 + phase + sway * 0.12 + drift) * width * 1.2 - width * 0.1,
        y: rowAt(setting, nearness),
        across: width * (0.03 + 0.12 * nearness) * (1 + sway),
        down: (0.8 + 3.2 * nearness) * unit,
      });
    }
    context.fill();
  }
}

/** The path of light: short strokes that flicker, wider apart the nearer they are. */
function drawGlints(
  context: SKRSContext2D,
  setting: Setting,
  { second, phase, path }: Moment & { readonly path: number },
): void {
  const { size, palette, noise, unit } = setting;
  const groups = brightnesses.map(() => [] as Oval[]);
  for (let row = 0; row < glints; row += 1) {
    const share = row / glints;
    const nearness = share ** 1.7;
    const spread = Math.min(size.width, size.height * 1.5) * (0.02 + nearness * 0.17);
    for (let each = 0; each < 2; each += 1) {
      const flicker = noise.at(row * 0.73 + each * 19 + phase, second * (1.25 - share * 0.5));
      const wander = noise.at(row * 0.41 + each * 5, second * 0.6 + each * 13 + phase);
      const strength = clamp((0.32 + 0.55 * flicker) * (1 - nearness * 0.55));
      const group = brightnesses.findLastIndex((brightness) => strength >= brightness);
      groups[group]?.push({
        x: path + wander * spread * 1.5,
        y: rowAt(setting, nearness) + 2 * unit,
        across: spread * (0.12 + 0.5 * Math.abs(flicker)),
        down: (0.7 + nearness * 3.8) * unit,
      });
    }
  }
  context.globalCompositeOperation = 'lighter';
  for (const [group, brightness] of brightnesses.entries()) {
    context.fillStyle = css(mix(palette.light, palette.horizon, 0.4), brightness * 0.8);
    context.beginPath();
    for (const glint of groups[group]!) addOval(context, glint);
    context.fill();
  }
  context.globalCompositeOperation = 'source-over';
}

function addOval(context: SKRSContext2D, { x, y, across, down }: Oval): void {
  context.moveTo(x + across, y);
  context.ellipse(x, y, across, down, 0, 0, Math.PI * 2);
}

/** Land that rises from the water towards one edge of the frame. */
function headland(setting: Setting, options: { readonly side: -1 | 1 }) {
  const { size, palette, noise, random } = setting;
  const { width, height } = size;
  const near = options.side === 1;
  const reach = width * between(random, { from: 0.26, to: 0.4 });
  const rise = height * (near ? 0.15 : 0.1);
  const row = random() * 50;
  const base = height * horizon + (near ? height * 0.012 : 0);
  const points = Array.from({ length: 61 }, (_, index) => {
    const share = index / 60;
    const shape =
      (1 - share) ** 0.8 + noise.rough(share * 5 + row, row, 5) * 0.5 * (1 - share * 0.8);
    return { x: share * reach, y: base - Math.max(0, shape * Math.min(1, (1 - share) * 6)) * rise };
  });
  const colour = mix(mix(palette.low, palette.middle, 0.6), palette.shade, near ? 0.75 : 0.5);
  const foot = mix(colour, palette.low, 0.32);

  return (context: SKRSContext2D, camera: Camera): void => {
    const edge = near ? width * 1.08 : -width * 0.08;
    const fill = context.createLinearGradient(0, base - rise * 1.3, 0, base);
    fill.addColorStop(0, css(colour));
    fill.addColorStop(1, css(foot));
    camera.look(context, near ? 0.16 : 0.1, () => {
      context.fillStyle = fill;
      context.beginPath();
      // Beyond the frame's edge as far as the camera can show of it.
      context.moveTo(edge + options.side * width * 0.3, base);
      context.lineTo(edge + options.side * width * 0.3, points[0]!.y);
      for (const { x, y } of points) context.lineTo(edge - options.side * x, y);
      context.fill();
    });
  };
}
