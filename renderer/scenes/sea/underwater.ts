/** Under water: shafts of light, a reef, fish and jellyfish. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { along, css, lighten, mix, white } from '../../color.ts';
import { paintMask, paintSoft } from '../../elements/paint.ts';
import { drawSoft } from '../../elements/sprite.ts';
import { clamp, smooth, wrap } from '../../motion.ts';
import { glowOf, type Scene, type SceneContext } from '../scene.ts';
import { createFish } from './fish.ts';
import { createJellyfish } from './jellyfish.ts';
import { createReef } from './reef.ts';

const shaftsCount = 6;

export function createUnderwater(scene: SceneContext): Scene {
  const { brief } = scene;
  const sunX = 0.38 + scene.random() * 0.3;
  const backdrop = createBackdrop(scene, sunX);
  const shafts = createShafts(scene, sunX);
  const reef = createReef(scene);
  const isDeep = brief.shows('jellyfish');
  const jellyfish = isDeep ? createJellyfish(scene) : null;
  const fish = !isDeep || brief.shows('fish') ? createFish(scene) : null;
  const bubbles = createBubbles(scene);

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
  return (context: SKRSContext2D, seen: Camera): void =>
    drawSoft(context, seen, { image, x: -margin.x, y: -margin.y, depth: 0 });
}

/** Shafts that swing slowly, brighten and fade. */
function createShafts({ size, palette, random, brief }: SceneContext, sunX: number) {
  const { width, height } = size;
  const color = mix(palette.horizon, palette.light, 0.5);
  const shaft: Canvas = paintMask({ width: 48, height: 128 }, { coarseness: 1, color }, (x, y) => {
    const aside = Math.abs(x / 48 - 0.5) * 2;
    const down = y / 128;
    return (
      smooth(aside, { from: 1, to: 0 }) * (1 - down) ** 1.3 * smooth(down, { from: 0, to: 0.06 })
    );
  });
  const pace = brief.pace ** 0.5;
  const shafts = Array.from({ length: shaftsCount }, (_, index) => ({
    place: (index + 0.5) / shaftsCount + (random() - 0.5) * 0.08,
    wide: height * (0.06 + random() * 0.12),
    long: height * (0.45 + random() * 0.34),
    phase: random() * 6,
    beat: 0.5 + random() * 0.5,
  }));
  const strength = palette.night ? 0.22 : 0.36;
  return (context: SKRSContext2D, seen: Camera): void =>
    seen.look(context, 0.08, () => {
      context.globalCompositeOperation = 'lighter';
      for (const { place, wide, long, phase, beat } of shafts) {
        const sway = Math.sin(seen.second * 0.3 * pace + phase) * 0.05;
        // Shafts spread from the sun above the surface.
        const lean = (place - sunX) * 0.75 + sway;
        const glow = 0.55 + 0.45 * Math.sin(seen.second * beat * pace + phase * 2);
        context.save();
        context.translate(place * width * 1.06 - width * 0.03, -height * 0.06);
        context.rotate(-lean);
        context.globalAlpha = strength * glow;
        context.drawImage(shaft, -wide / 2, 0, wide, long);
        context.restore();
      }
      context.globalAlpha = 1;
      context.globalCompositeOperation = 'source-over';
    });
}

/** Bubbles that wobble as they rise, and specks that float in the water. */
function createBubbles({ size, palette, random, unit, brief, camera }: SceneContext) {
  const { width, height } = size;
  const bubble = bubbleOf(mix(palette.horizon, white, 0.5));
  const speck = glowOf(mix(palette.horizon, palette.light, 0.5), 32);
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
  const specks = Array.from({ length: 24 }, () => ({
    x: random(),
    y: random(),
    depth: 0.2 + random(),
    phase: random() * 6,
  }));
  return (context: SKRSContext2D, { second }: Camera): void => {
    const seen = camera.at(second);
    for (const { x, y, depth, phase } of specks) {
      const across = wrap(x + second * 0.006 * depth + seen.x(depth) / width);
      const down = wrap(y + Math.sin(second * 0.3 + phase) * 0.01 + seen.y(depth) / height);
      const radius = (0.8 + depth * 2.2) * unit;
      context.globalAlpha = 0.16 + 0.14 * Math.sin(second * 0.8 + phase);
      context.drawImage(
        speck,
        across * width - radius,
        down * height - radius,
        radius * 2,
        radius * 2,
      );
    }
    for (const { x, y, size: large, speed, phase, depth } of bubbles) {
      const risen = y + second * speed * (0.7 + large * 0.05) * pace;
      const share = wrap(risen);
      const wobble = Math.sin(second * 2.4 + phase + share * 20) * 0.004 * (1 + share);
      const across = wrap(x + Math.floor(risen) * 0.618 + wobble + seen.x(depth) / width);
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
