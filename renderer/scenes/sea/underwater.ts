/** Under water: shafts of light, a reef, fish and jellyfish. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { along, css, lighten, mix, white } from '../../color.ts';
import { createSpecks } from '../../elements/atmosphere.ts';
import { paintSoft } from '../../elements/paint.ts';
import { createShafts } from '../../elements/shafts.ts';
import { drawSoft } from '../../elements/sprite.ts';
import { clamp, wrap } from '../../motion.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createFish } from './fish.ts';
import { createJellyfish } from './jellyfish.ts';
import { createReef } from './reef.ts';

export function createUnderwater(scene: SceneContext): Scene {
  const { brief, palette, size } = scene;
  const sunX = 0.38 + scene.random() * 0.3;
  const backdrop = createBackdrop(scene, sunX);
  const shafts = createShafts(scene, {
    ...{ x: sunX * size.width, slant: (sunX - 0.5) * 1.6, count: 6 },
    color: mix(palette.horizon, palette.light, 0.5),
    alpha: palette.night ? 0.16 : 0.3,
  });
  const reef = createReef(scene);
  const isDeep = brief.shows('jellyfish');
  const jellyfish = isDeep ? createJellyfish(scene) : null;
  const fish = !isDeep || brief.shows('fish') ? createFish(scene) : null;
  const bubbles = createBubbles(scene);
  const specks = createSpecks(scene);

  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      backdrop(context, camera);
      reef.drawFar(context, camera);
      shafts(context, camera);
      fish?.drawFar(context, camera);
      jellyfish?.(context, camera);
      reef.drawNear(context, camera);
      fish?.drawNear(context, camera);
      bubbles(context, camera);
      specks(context, second);
    },
  };
}

/** Bright below the surface and darker with depth. */
function createBackdrop(scene: SceneContext, sunX: number) {
  const { size, palette, noise, random, camera } = scene;
  const { width, height } = size;
  const margin = camera.margin(0);
  const stops = [
    [0, mix(palette.low, palette.horizon, palette.night ? 0.1 : 0.5)],
    [0.2, mix(palette.low, palette.middle, 0.25)],
    [0.55, mix(palette.middle, palette.high, 0.25)],
    [1, mix(palette.high, palette.shade, 0.55)],
  ] as const;
  const start = random() * 100;
  const area = { width: width + margin.x * 2, height: height + margin.y * 2 };
  const image = paintSoft(area, { coarseness: 6, random }, (px, py) => {
    const [x, y] = [(px - margin.x) / height, (py - margin.y) / height];
    const away = Math.hypot((x - (sunX * width) / height) * 0.8, y + 0.05);
    const haze = noise.rough(x * 1.6 + start, y * 1.6, 3) * 0.06;
    const base = along(stops, clamp(y * 0.72 + away * 0.26 + haze));
    return lighten(base, mix(palette.horizon, palette.light, 0.5), Math.exp(-away * 4.2) * 0.75);
  });
  return (context: SKRSContext2D, view: Camera): void =>
    drawSoft(context, view, { image, x: -margin.x, y: -margin.y, depth: 0 });
}

/** Bubbles that wobble as they rise. */
function createBubbles({ size, palette, random, unit, brief, camera }: SceneContext) {
  const { width, height } = size;
  const bubble = bubbleOf(mix(palette.horizon, white, 0.5));
  const pace = Math.min(1.5, brief.pace ** 0.6);
  const strings = Array.from({ length: 5 }, () => random());
  const bubbles = Array.from({ length: 30 }, (_, index) => ({
    x: strings[index % strings.length]! + (random() - 0.5) * 0.03,
    y: random(),
    size: 2 + random() ** 2 * 9,
    speed: 0.09 + random() * 0.05,
    phase: random() * 6,
    depth: 0.3 + random() * 0.6,
  }));
  return (context: SKRSContext2D, { second }: Camera): void => {
    const view = camera.at(second);
    for (const { x, y, size: large, speed, phase, depth } of bubbles) {
      const risen = y + second * speed * (0.7 + large * 0.05) * pace;
      const share = wrap(risen);
      const wobble = Math.sin(second * 2.4 + phase + share * 20) * 0.004 * (1 + share);
      const across = wrap(x + Math.floor(risen) * 0.618 + wobble + view.x(depth) / width);
      const radius = large * unit * (0.6 + share * 0.6);
      context.globalAlpha = 0.75 * Math.min(1, share * 6, (1 - share) * 6);
      const top = (1.06 - share * 1.12) * height;
      context.drawImage(bubble, across * width - radius, top - radius, radius * 2, radius * 2);
    }
    context.globalAlpha = 1;
  };
}

function bubbleOf(color: Parameters<typeof css>[0]): Canvas {
  const canvas = createCanvas(32, 32);
  const context = canvas.getContext('2d');
  const ball = context.createRadialGradient(16, 16, 6, 16, 16, 15);
  ball.addColorStop(0, css(color, 0.08));
  ball.addColorStop(0.75, css(color, 0.2));
  ball.addColorStop(0.95, css(color, 0.85));
  ball.addColorStop(1, css(color, 0));
  context.fillStyle = ball;
  context.fillRect(0, 0, 32, 32);
  context.fillStyle = css(white, 0.9);
  context.beginPath();
  context.arc(11, 10, 2.6, 0, Math.PI * 2);
  context.fill();
  return canvas;
}
