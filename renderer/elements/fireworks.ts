/** Fireworks: rockets rise, burst into spheres of sparks, fall and fade. */
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import { type Color, colorsOf, css, mix, white } from '../color.ts';
import { wrap } from '../motion.ts';
import { between } from '../random.ts';
import { addLight, type DrawAt, glowOf, type SceneContext } from '../scenes/scene.ts';

const colors = colorsOf('ffc45c ff5c6e 70beff 96ffbe d682ff fff0d6');
const sparksCount = 110;

type Burst = {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly period: number;
  readonly phase: number;
  readonly color: Color;
  readonly directions: readonly (readonly [x: number, y: number, reach: number])[];
};

export function createBursts(scene: SceneContext): DrawAt {
  const bursts = Array.from({ length: 7 }, (_, index) => burstOf(scene, index));
  const flash = glowOf(white, 128);
  return (context, second) => {
    addLight(context, () => {
      context.lineCap = 'round';
      for (const burst of bursts) drawBurst(context, { burst, second, flash, size: scene.size });
    });
  };
}

function burstOf({ random, size, brief }: SceneContext, index: number): Burst {
  return {
    x: between(random, { from: 0.12, to: 0.88 }),
    y: between(random, { from: 0.18, to: 0.5 }),
    radius: Math.min(size.width, size.height * 1.3) * between(random, { from: 0.22, to: 0.38 }),
    period: between(random, { from: 3.2, to: 4.6 }) / brief.pace,
    phase: index / 7 + random() * 0.08,
    color: colors[Math.floor(random() * colors.length)]!,
    // Spread evenly over a sphere, so more of them appear near its edge.
    directions: Array.from({ length: sparksCount }, () => {
      const angle = random() * Math.PI * 2;
      const flat = Math.sqrt(1 - (random() * 2 - 1) ** 2);
      return [
        Math.cos(angle) * flat,
        Math.sin(angle) * flat,
        between(random, { from: 0.85, to: 1 }),
      ];
    }),
  };
}

type BurstFrame = {
  readonly burst: Burst;
  readonly second: number;
  readonly flash: Canvas;
  readonly size: { readonly width: number; readonly height: number };
};

/** The rocket climbs for a third of the period; then the sparks fly, slow down and fall. */
function drawBurst(context: SKRSContext2D, { burst, second, flash, size }: BurstFrame): void {
  const age = wrap(burst.phase + second / burst.period);
  const [x, y] = [burst.x * size.width, burst.y * size.height];
  if (age < 0.28) {
    const climbed = 1 - (1 - age / 0.28) ** 2;
    const top = size.height * 0.84 + (y - size.height * 0.84) * climbed;
    context.globalAlpha = 0.7;
    context.strokeStyle = css(mix(burst.color, white, 0.4));
    context.lineWidth = size.height * 0.0022;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + size.height * 0.045 * (1 - climbed * 0.6));
    context.stroke();
    return;
  }
  const flown = (age - 0.28) / 0.72;
  const reach = burst.radius * (1 - Math.exp(-4.2 * flown));
  const fall = burst.radius * 0.5 * flown ** 2;
  const fading = (1 - flown) ** 1.4;
  if (flown < 0.16) {
    const wide = burst.radius * 1.5;
    context.globalAlpha = 0.5 * (1 - flown / 0.16);
    context.drawImage(flash, x - wide, y - wide, wide * 2, wide * 2);
  }
  const trail = 0.16 * (1 - flown) + 0.02;
  for (const [color, thick, alpha] of [
    [burst.color, 0.0075, 0.5],
    [mix(burst.color, white, 0.3), 0.0026, 1],
  ] as const) {
    context.globalAlpha = alpha * fading;
    context.strokeStyle = css(color);
    context.lineWidth = size.height * thick;
    context.beginPath();
    for (const [across, down, own] of burst.directions) {
      const [endX, endY] = [x + across * reach * own, y + down * reach * own + fall];
      context.moveTo(
        endX - across * burst.radius * trail,
        endY - (down * burst.radius + fall) * trail,
      );
      context.lineTo(endX, endY);
    }
    context.stroke();
  }
}
