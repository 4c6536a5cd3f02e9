/** Water on a street: lamps reflected as long streaks, and rings where drops fall. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import { wrap } from '../../motion.ts';
import { between, oneOf } from '../../random.ts';
import { addLight, type DrawSeen, type SceneContext } from '../scene.ts';

const streaksCount = 30;
const ringsCount = 60;
const ringSeconds = 1.1;

export function createStream(
  scene: SceneContext,
  plan: { /** As a share of the height. */ readonly top: number; readonly colors: Color[] },
): DrawSeen {
  const { size, palette } = scene;
  const top = plan.top * size.height;
  const streaks = createStreaks(scene, plan);
  const rings = createRings(scene, plan.top);
  const near = mix(palette.shade, palette.high, 0.4);
  return (context, camera) => {
    const water = context.createLinearGradient(0, top, 0, size.height);
    water.addColorStop(0, css(mix(near, palette.low, 0.3), 0));
    water.addColorStop(0.25, css(mix(near, palette.low, 0.22), 0.6));
    water.addColorStop(1, css(near, 0.9));
    context.fillStyle = water;
    context.fillRect(0, top, size.width, size.height - top);
    addLight(context, () => streaks(context, camera));
    rings(context, camera);
  };
}

function createStreaks(
  { size, random, unit, palette }: SceneContext,
  { top, colors }: { readonly top: number; readonly colors: Color[] },
): DrawSeen {
  const images = colors.map(streakOf);
  const streaks = Array.from({ length: streaksCount }, () => ({
    image: oneOf(random, images as [ReturnType<typeof streakOf>]),
    x: between(random, { from: -0.05, to: 1.05 }),
    y: top + between(random, { from: 0, to: 0.08 }),
    wide: between(random, { from: 10, to: 34 }) * unit,
    tall: between(random, { from: 0.14, to: 0.34 }),
    phase: random() * 6,
  }));
  const strength = palette.night ? 0.5 : 0.3;
  return (context, camera) => {
    for (const { image, x, y, wide, tall, phase } of streaks) {
      const sway = Math.sin(camera.second * 1.9 + phase) * 3 * unit;
      const left = x * size.width + camera.x(0.3) + sway;
      context.globalAlpha = strength * (0.8 + 0.2 * Math.sin(camera.second * 2.3 + phase * 2));
      context.drawImage(image, left, y * size.height, wide, tall * size.height);
    }
  };
}

function streakOf(color: Color) {
  const canvas = createCanvas(32, 128);
  const context = canvas.getContext('2d');
  const fill = context.createRadialGradient(16, 16, 0, 16, 16, 16);
  fill.addColorStop(0, css(color, 0.8));
  fill.addColorStop(1, css(color, 0));
  context.fillStyle = fill;
  context.scale(1, 4);
  context.fillRect(0, 0, 32, 32);
  return canvas;
}

function createRings({ size, random, unit, palette }: SceneContext, top: number): DrawSeen {
  const rings = Array.from({ length: ringsCount }, () => ({
    x: random() * 1.1 - 0.05,
    down: random(),
    phase: random(),
    radius: between(random, { from: 14, to: 34 }) * unit,
  }));
  return (context: SKRSContext2D, camera) => {
    context.strokeStyle = css(mix(palette.horizon, palette.light, 0.4));
    for (const { x, down, phase, radius } of rings) {
      const age = wrap(camera.second / ringSeconds + phase);
      // Nearer rings are larger.
      const scale = 0.35 + down * 0.9;
      const y = (top + 0.05 + (0.95 - top) * down) * size.height + camera.y(0.5);
      context.globalAlpha = 0.42 * (1 - age) ** 1.5;
      context.lineWidth = Math.max(0.8, 1.6 * scale * unit);
      context.beginPath();
      const across = radius * scale * (0.15 + age);
      context.ellipse(x * size.width + camera.x(0.5), y, across, across * 0.3, 0, 0, Math.PI * 2);
      context.stroke();
    }
    context.globalAlpha = 1;
  };
}
