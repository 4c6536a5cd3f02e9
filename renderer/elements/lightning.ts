/** Lightning behind the land: the sky flashes twice and a bolt appears. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, white } from '../color.ts';
import { clamp } from '../motion.ts';
import type { Random } from '../random.ts';
import { addLight, type DrawAt, type SceneContext } from '../scenes/scene.ts';

type Point = { readonly x: number; readonly y: number };
const lastsSeconds = 0.5;

export function createLightning(
  scene: SceneContext,
  { horizon }: { readonly horizon: number },
): DrawAt {
  const { size, palette, random, unit, seconds, camera } = scene;
  const { width, height } = size;
  const margin = camera.margin(0);
  const strikes: { from: number; path: readonly Point[]; x: number }[] = [];
  for (let from = 0.7 + random() * 0.7; from < seconds; from += 1.9 + random() * 2.4) {
    const x = width * (0.12 + random() * 0.76);
    const path = boltOf(
      random,
      { x, y: -margin.y },
      { x: x + (random() - 0.5) * width * 0.2, y: height * horizon },
    );
    strikes.push({ from, path, x });
  }
  const color = mix(palette.light, white, 0.6);

  function stroke(context: SKRSContext2D, points: readonly Point[], thick: number): void {
    context.lineWidth = thick * unit;
    context.beginPath();
    for (const [index, { x, y }] of points.entries()) {
      if (index === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  }

  return (context, second) => {
    for (const { from, path, x } of strikes) {
      const age = second - from;
      if (age < 0 || age > lastsSeconds) continue;
      const shine = flare(age);
      addLight(context, () => {
        const light = context.createRadialGradient(x, 0, 0, x, 0, width * 0.75);
        light.addColorStop(0, css(mix(palette.low, white, 0.5), 0.5 * shine));
        light.addColorStop(1, css(palette.low, 0.1 * shine));
        context.fillStyle = light;
        context.fillRect(-margin.x, -margin.y, width + margin.x * 2, height * horizon + margin.y);
        if (age < 0.3) {
          context.lineJoin = 'round';
          for (const [thick, alpha] of [
            [12, 0.1],
            [5, 0.25],
            [2, 0.95],
          ] as const) {
            context.strokeStyle = css(color, alpha * clamp(shine * 1.2));
            stroke(context, path, thick);
          }
        }
      });
    }
  };
}

const flare = (age: number): number =>
  Math.exp(-age * 22) + (age > 0.11 ? 0.75 * Math.exp(-(age - 0.11) * 9) : 0);

/** Halves every segment six times and moves each midpoint sideways, by less every time. */
function boltOf(random: Random, from: Point, to: Point): readonly Point[] {
  let points: readonly Point[] = [from, to];
  let aside = (to.y - from.y) * 0.2;
  for (let halving = 0; halving < 6; halving += 1) {
    points = points.flatMap((point, index) => {
      const next = points[index + 1];
      if (!next) return [point];
      const middle = {
        x: (point.x + next.x) / 2 + (random() - 0.5) * aside,
        y: (point.y + next.y) / 2 + (random() - 0.5) * aside * 0.3,
      };
      return [point, middle];
    });
    aside *= 0.55;
  }
  return points;
}
