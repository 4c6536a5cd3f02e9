/**
 * The sky behind every landscape: a gradient, soft clouds lit by the sun, and the sun or moon.
 * Painted once, wider than the frame, and then only moved.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { along, type Colour, css, mix, white } from '../colour.ts';
import { clamp, smooth } from '../motion.ts';
import type { Random } from '../random.ts';
import type { Size } from '../size.ts';
import { glowOf, type Setting } from './scene.ts';

export type SkyOptions = {
  /** Where the land begins, as a share of the frame's height. */
  readonly horizon: number;
  /** Middle of the sun, as shares of width and height. */
  readonly sun: { readonly x: number; readonly y: number };
  /** How far down it is needed, as a share of the height: what the land hides is not painted. */
  readonly reach: number;
};

export type Sky = { draw(context: SKRSContext2D, camera: Camera): void };

/** The farthest of all layers. */
const depth = 0;
/** Clouds are soft, so they are computed for every sixth pixel only. */
const coarseness = 6;

export function createSky(setting: Setting, options: SkyOptions): Sky {
  const margin = setting.camera.margin(depth);
  const painted = paint(setting, options, margin);
  const context = painted.getContext('2d');
  context.translate(margin.x, margin.y);
  drawSun(context, setting, options);
  return {
    draw(target, camera) {
      camera.look(target, depth, () => target.drawImage(painted, -margin.x, -margin.y));
    },
  };
}

function drawSun(context: SKRSContext2D, setting: Setting, options: SkyOptions): void {
  const { size, palette } = setting;
  const radius = Math.min(size.height, size.width * 1.2) * (palette.night ? 0.045 : 0.055);
  const x = options.sun.x * size.width;
  const y = options.sun.y * size.height;
  context.globalCompositeOperation = 'lighter';
  for (const [colour, times, alpha] of [
    [palette.horizon, 7, 0.2],
    [palette.light, 4, 0.26],
    [palette.light, 2, 0.4],
  ] as const) {
    const reach = radius * times;
    context.globalAlpha = alpha;
    context.drawImage(glowOf(colour, 512), x - reach, y - reach, reach * 2, reach * 2);
  }
  context.globalAlpha = 1;
  context.globalCompositeOperation = 'source-over';
  context.fillStyle = css(mix(palette.light, white, 0.6));
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fill();
}

type Margin = { readonly x: number; readonly y: number };

function paint(setting: Setting, options: SkyOptions, margin: Margin): Canvas {
  const { size, palette, noise, random } = setting;
  const wide = size.width + margin.x * 2;
  const columns = Math.ceil(wide / coarseness) + 1;
  const tall = Math.ceil(size.height * options.reach) + margin.y * 2;
  const rows = Math.ceil(tall / coarseness) + 1;
  const coarse = createCanvas(columns, rows);
  const context = coarse.getContext('2d');
  const image = context.createImageData(columns, rows);
  const cloudX = random() * 200;
  const cloudY = random() * 200;
  const stops = [
    [0, palette.high],
    [0.42, palette.middle],
    [0.8, palette.low],
    [1, palette.horizon],
  ] as const;

  for (let row = 0; row < rows; row += 1) {
    const down = (row * coarseness - margin.y) / size.height;
    const toHorizon = down / options.horizon;
    const clear = along(stops, clamp(toHorizon) ** 1.25);
    const cloudy = smooth(toHorizon, { from: 1.02, to: 0.5 }) * 0.75;
    for (let column = 0; column < columns; column += 1) {
      const x = (column * coarseness - margin.x) / size.height;
      const sunX = (options.sun.x * size.width) / size.height;
      const near = Math.exp(-3.4 * Math.hypot(x - sunX, (down - options.sun.y) * 1.15));
      const bend = noise.at(x * 1.5 + cloudX, down * 3 + cloudY);
      const mass = noise.rough(x * 1.3 + bend * 0.5 + cloudY, down * 4.2 + bend * 0.4, 4);
      const cover = smooth(mass, { from: 0, to: 0.42 }) * cloudy;
      const lit = lighten(mix(clear, palette.low, 0.55), palette.light, near * 0.4);
      const colour = lighten(mix(clear, lit, cover), palette.horizon, near * 0.2);
      const at = (row * columns + column) * 4;
      image.data[at] = colour[0];
      image.data[at + 1] = colour[1];
      image.data[at + 2] = colour[2];
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return enlarge(coarse, { width: wide, height: tall }, random);
}

const lighten = (colour: Colour, light: Colour, share: number): Colour => [
  colour[0] + light[0] * share,
  colour[1] + light[1] * share,
  colour[2] + light[2] * share,
];

/** Full size, with a trace of grain: without it a slow gradient shows as stripes in 8 bits. */
function enlarge(coarse: Canvas, size: Size, random: Random): Canvas {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  context.imageSmoothingQuality = 'high';
  context.drawImage(coarse, 0, 0, coarse.width * coarseness, coarse.height * coarseness);
  const image = context.getImageData(0, 0, size.width, size.height);
  const { data } = image;
  for (let at = 0; at < data.length; at += 4) {
    const grain = (random() - 0.5) * 5;
    data[at] = data[at]! + grain;
    data[at + 1] = data[at + 1]! + grain;
    data[at + 2] = data[at + 2]! + grain;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
