/**
 * Rain on a window: blurred street lights, drops that stay on the glass, and drops that run down
 * and leave a clear trail. With a paper boat, the camera is outside, close to the wet street.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, colorsOf, css, mix, white } from '../../color.ts';
import { paintSoft } from '../../elements/paint.ts';
import { createPaperBoat } from '../../elements/paper-boat.ts';
import { createRainfall } from '../../elements/rainfall.ts';
import { drawSoft } from '../../elements/sprite.ts';
import { smooth, wrap } from '../../motion.ts';
import { between, oneOf } from '../../random.ts';
import { addLight, type DrawAt, type DrawSeen, type Scene, type SceneContext } from '../scene.ts';
import { createGlass, createRunners, glassDepth } from './glass.ts';
import { createStream } from './stream.ts';

type BokehLight = {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly disc: Canvas;
  readonly depth: number;
  readonly brightness: number;
  readonly phase: number;
  readonly pace: number;
};

const lightsCount = 72;
/** Height of lamps and cars, as a share of the height; their reflections are below it. */
const streetLine = 0.6;

export function createRain(scene: SceneContext): Scene {
  const { camera } = scene;
  const street = createStreet(scene);
  const lights = createLights(scene);
  const rainfall = createRainfall(scene);
  if (scene.brief.shows('paperboat')) return createBoatRide(scene, { street, lights, rainfall });
  const glass = createGlass(scene);
  const drawRunners = createRunners(scene);
  const drawBar = createBar(scene);

  return {
    draw(context, second) {
      const view = camera.at(second);
      street(context, view);
      lights(context, view, second);
      context.globalAlpha = 0.5;
      rainfall(context, second);
      context.globalAlpha = 1;
      glass.draw(context, view);
      view.look(context, glassDepth, () => drawRunners(context, second));
      drawBar?.(context, view);
    },
  };
}

function createBoatRide(
  scene: SceneContext,
  { street, lights, rainfall }: { street: DrawSeen; lights: DrawLights; rainfall: DrawAt },
): Scene {
  const { width, height } = scene.size;
  const stream = createStream(scene, { top: streetLine + 0.04, colors: lampColors(scene) });
  const tall = Math.min(height * 0.34, width * 0.3);
  const place = { x: width * 0.6, y: height * 0.8, tall, depth: 0.6 };
  const boat = createPaperBoat(scene, place);
  return {
    draw(context, second) {
      const view = scene.camera.at(second);
      street(context, view);
      lights(context, view, second);
      stream(context, view);
      boat(context, view);
      context.globalAlpha = 0.7;
      rainfall(context, second);
      context.globalAlpha = 1;
    },
  };
}

function createStreet(scene: SceneContext): DrawSeen {
  const { size, palette, random, noise } = scene;
  const margin = scene.camera.margin(0);
  const [startX, startY] = [random() * 50, random() * 50];
  const dark = mix(palette.shade, [6, 6, 10], 0.5);
  const sky = palette.night ? mix(palette.high, palette.middle, 0.35) : palette.middle;
  const low = palette.night ? mix(palette.low, [255, 178, 112], 0.3) : palette.low;
  const whole = { width: size.width + margin.x * 2, height: size.height + margin.y * 2 };
  const image = paintSoft(whole, { coarseness: 8, random }, (pixelX, pixelY) => {
    const x = (pixelX - margin.x) / size.height;
    const y = (pixelY - margin.y) / size.height;
    const cloud = noise.rough(x * 1.4 + startX, y * 1.8 + startY, 3);
    const glow = Math.exp(-(((y - streetLine) / 0.2) ** 2));
    const air = mix(sky, mix(palette.shade, palette.high, 0.35), Math.max(0, y - streetLine) * 2.4);
    const fromMiddle = Math.hypot((x * size.height) / size.width - 0.5, (y - 0.48) * 0.9);
    const edge = smooth(fromMiddle, { from: 0.3, to: 0.75 }) * 0.62;
    const seen = mix(mix(air, low, glow * 0.75), palette.shade, 0.18 + 0.16 * cloud);
    return mix(seen, dark, edge);
  });
  return (context, camera) =>
    drawSoft(context, camera, { image, x: -margin.x, y: -margin.y, depth: 0 });
}

type DrawLights = (context: SKRSContext2D, camera: Camera, second: number) => void;

function createLights(scene: SceneContext): DrawLights {
  const { size, palette, random, unit } = scene;
  const colors = lampColors(scene);
  const discs = colors.map((color) => discOf(color));
  const lights = Array.from({ length: lightsCount }, (_, index): BokehLight => {
    const isReflection = index % 4 === 3;
    const spread = (random() + random() - 1) * (isReflection ? 0.12 : 0.2);
    return {
      x: between(random, { from: -0.1, to: 1.1 }),
      y: isReflection ? streetLine + 0.24 + spread : streetLine - 0.06 + spread,
      radius: between(random, { from: 14, to: 52 }) * unit,
      disc: oneOf(random, discs as [Canvas, ...Canvas[]]),
      depth: between(random, { from: 0.05, to: 0.35 }),
      brightness: between(random, { from: 0.3, to: 0.9 }) * (isReflection ? 0.45 : 1),
      phase: random() * Math.PI * 2,
      pace: random() < 0.3 ? between(random, { from: 0.01, to: 0.03 }) : 0,
    };
  });
  const strength = palette.night ? 1.25 : 0.46;

  return (context, camera, second) => {
    addLight(context, () => {
      for (const { x, y, radius, disc, depth, brightness, phase, pace } of lights) {
        const driven = pace === 0 ? x : wrap((x + second * pace * 1.2) / 1.2) * 1.2 - 0.1;
        const left = driven * size.width + camera.x(depth) - radius;
        const top = y * size.height + camera.y(depth) - radius;
        const shimmer = 0.85 + 0.15 * Math.sin(second * 1.7 + phase);
        context.globalAlpha = Math.min(1, brightness * shimmer * strength);
        context.drawImage(disc, left, top, radius * 2, radius * 2);
      }
    });
  };
}

function lampColors({ palette, brief }: SceneContext): Color[] {
  const warm = colorsOf('ffc478 ffa45c ffe0b2');
  const signs = colorsOf('ff5660 56beff 78ffce');
  if (brief.look === 'neon') return [...signs, [255, 92, 214], palette.light];
  return [...warm, ...warm, mix(palette.light, palette.horizon, 0.3), ...signs.slice(0, 2)];
}

function discOf(color: Color): Canvas {
  const pixels = 128;
  const canvas = createCanvas(pixels, pixels);
  const context = canvas.getContext('2d');
  const fill = context.createRadialGradient(64, 64, 0, 64, 64, 62);
  fill.addColorStop(0, css(color, 0.34));
  fill.addColorStop(0.82, css(color, 0.42));
  fill.addColorStop(0.93, css(mix(color, white, 0.3), 0.62));
  fill.addColorStop(1, css(color, 0));
  context.fillStyle = fill;
  context.fillRect(0, 0, pixels, pixels);
  return canvas;
}

/** The bar between two panes; a narrow frame shows only one pane. */
function createBar(scene: SceneContext): ((context: SKRSContext2D, camera: Camera) => void) | null {
  const { size, palette, unit, random } = scene;
  if (size.width <= size.height * 1.2) return null;
  const x = between(random, { from: 0.66, to: 0.72 }) * size.width;
  const dark = mix(palette.shade, [6, 6, 10], 0.5);
  const thick = 22 * unit;
  const bar = createCanvas(Math.ceil(thick), 4);
  const context = bar.getContext('2d');
  const fill = context.createLinearGradient(0, 0, thick, 0);
  fill.addColorStop(0, css(mix(dark, palette.low, 0.28)));
  fill.addColorStop(0.35, css(dark));
  fill.addColorStop(1, css(mix(dark, palette.low, 0.1)));
  context.fillStyle = fill;
  context.fillRect(0, 0, thick, 4);
  return (target, camera) =>
    camera.look(target, 0.75, () => {
      target.drawImage(bar, x, -size.height * 0.2, thick, size.height * 1.4);
    });
}
