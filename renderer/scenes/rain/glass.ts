/** Drops on a window: some stay in place, others run down and leave a clear trail. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, white } from '../../color.ts';
import { createLayer, type Layer } from '../../elements/layer.ts';
import { wrap } from '../../motion.ts';
import { between } from '../../random.ts';
import type { SceneContext } from '../scene.ts';

type Runner = {
  readonly x: number;
  readonly radius: number;
  readonly journey: number;
  readonly phase: number;
  readonly wobble: number;
};

export const glassDepth = 0.55;
const dropsCount = 520;
const runnersCount = 15;

/** Drops that stay in place, each a small lens with an upside-down street. */
export function createGlass(scene: SceneContext): Layer {
  const { size, random, unit, palette } = scene;
  const lens = lensOf(palette);
  const place = { depth: glassDepth, top: 0, bottom: size.height, tile: 24 };
  return createLayer(scene, place, (context, { left, right, top, bottom }) => {
    const count = dropsCount * ((right - left) / (1280 * unit));
    for (let drop = 0; drop < count; drop += 1) {
      const radius = (1.6 + random() ** 4 * 9) * unit;
      const tall = radius * between(random, { from: 1, to: 1.35 });
      const x = between(random, { from: left, to: right });
      const y = between(random, { from: top, to: bottom });
      context.globalAlpha = between(random, { from: 0.45, to: 0.95 });
      context.drawImage(lens, x - radius, y - tall, radius * 2, tall * 2);
    }
  });
}

function lensOf({ shade, low, light }: SceneContext['palette']): Canvas {
  const canvas = createCanvas(64, 64);
  const context = canvas.getContext('2d');
  context.beginPath();
  context.arc(32, 32, 30, 0, Math.PI * 2);
  const body = context.createLinearGradient(0, 4, 0, 60);
  body.addColorStop(0, css(shade, 0.75));
  body.addColorStop(0.5, css(mix(shade, low, 0.4), 0.35));
  body.addColorStop(1, css(mix(low, light, 0.6), 0.85));
  context.fillStyle = body;
  context.fill();
  context.fillStyle = css(white, 0.85);
  context.beginPath();
  context.ellipse(23, 19, 6, 4, -0.6, 0, Math.PI * 2);
  context.fill();
  return canvas;
}

export function createRunners(scene: SceneContext) {
  const { size, random, unit, noise, palette } = scene;
  const lens = lensOf(palette);
  const runners = Array.from({ length: runnersCount }, (): Runner => {
    const radius = between(random, { from: 4.5, to: 9 }) * unit;
    return {
      ...{ x: random(), radius },
      journey: between(random, { from: 4, to: 11 }),
      phase: random(),
      wobble: random() * 100,
    };
  });
  const xAt = ({ x, wobble }: Runner, y: number): number =>
    x * size.width + noise.at(wobble, y * 3.1) * 16 * unit;
  const clear = mix(palette.low, palette.light, 0.55);

  return (context: SKRSContext2D, second: number): void => {
    context.lineCap = 'round';
    context.lineJoin = 'round';
    for (const runner of runners) {
      const passed = wrap(runner.phase + second / runner.journey);
      // Progress rises in steps and never falls.
      const steps = passed * 5 * Math.PI * 2;
      const way = passed + (Math.sin(steps) / (5 * Math.PI * 2)) * -0.96;
      const y = way * 1.3 - 0.12;
      const from = Math.max(-0.1, y - 0.42);
      const points = Array.from({ length: 15 }, (_, index) => from + ((y - from) * index) / 14);
      const fade = context.createLinearGradient(0, from * size.height, 0, y * size.height);
      fade.addColorStop(0, css(clear, 0));
      fade.addColorStop(1, css(clear, 0.3));
      context.strokeStyle = fade;
      context.lineWidth = runner.radius * 1.1;
      context.beginPath();
      for (const [index, at] of points.entries()) {
        const [pointX, pointY] = [xAt(runner, at), at * size.height];
        if (index === 0) context.moveTo(pointX, pointY);
        else context.lineTo(pointX, pointY);
      }
      context.stroke();
      const { radius } = runner;
      const x = xAt(runner, y);
      context.drawImage(lens, x - radius, y * size.height - radius * 1.3, radius * 2, radius * 2.6);
    }
  };
}
