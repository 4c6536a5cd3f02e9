/** Lines of light on a soft background: streams in one field, or strings that swing to a beat. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { clamp } from '../../motion.ts';
import { addLight, type DrawAt, type Scene, type SceneContext } from '../scene.ts';
import { createSoftStage } from './soft-stage.ts';

type GlowingLine = { readonly color: Color; readonly thickness: number };

type LinesPlan<Line extends GlowingLine> = {
  /** Darkness of the background. */
  readonly depth: number;
  readonly lines: readonly Line[];
  /** Adds the line to the path. */
  trace(context: SKRSContext2D, line: Line, second: number): void;
  /** Brightness of a line, about 1. */
  strengthAt(line: Line, second: number): number;
  readonly drawBehind?: DrawAt;
};

function createLines<Line extends GlowingLine>(scene: SceneContext, plan: LinesPlan<Line>): Scene {
  const { palette, unit } = scene;
  const stage = createSoftStage(scene, plan);
  const air = createAir(scene, { horizon: 1 });
  return {
    draw(context, second) {
      stage.draw(context, second, (glow) => {
        glow.lineCap = 'round';
        for (const line of plan.lines) {
          plan.trace(glow, line, second);
          for (const [times, alpha] of [
            [36, 0.08],
            [11, 0.18],
          ] as const) {
            glow.strokeStyle = css(line.color, alpha * plan.strengthAt(line, second));
            glow.lineWidth = line.thickness * times * unit;
            glow.stroke();
          }
        }
      });
      plan.drawBehind?.(context, second);
      addLight(context, () => {
        context.lineCap = 'round';
        for (const line of plan.lines) {
          plan.trace(context, line, second);
          const alpha = 0.66 * plan.strengthAt(line, second);
          context.strokeStyle = css(mix(line.color, palette.light, 0.6), alpha);
          context.lineWidth = Math.max(0.8, line.thickness * unit);
          context.stroke();
        }
      });
      air.drawSpecks(context, second);
    },
  };
}

export function createStreams(scene: SceneContext): Scene {
  const { size, palette, noise, random, brief } = scene;
  const { width, height } = size;
  const points = 22;
  const lines = Array.from({ length: 15 }, (_, index) => ({
    start: 0.18 + (index % 3) * 0.3 + (random() - 0.5) * 0.2,
    own: random() * 0.55,
    phase: random() * Math.PI * 2,
    thickness: 0.7 + random() ** 2 * 2.2,
    color: mix(mix(palette.low, palette.horizon, random()), palette.light, random() * 0.4),
  }));
  const [fieldX, fieldY] = [random() * 100, random() * 100];
  const pace = brief.pace ** 0.7;
  return createLines(scene, {
    ...{ depth: 0.35, lines },
    strengthAt: ({ phase }, second) => 0.82 + 0.45 * Math.sin(second * 0.9 + phase),
    trace(context, line, second) {
      const travel = scene.camera.at(second).share * 0.25;
      const step = (width * 1.6) / points;
      let [x, y] = [-width * 0.14, line.start * height];
      context.beginPath();
      context.moveTo(x, y);
      for (let point = 0; point < points; point += 1) {
        const across = (x / width) * 1.7 + fieldX + second * 0.06 * pace + travel;
        const down = (y / height) * 1.2 + line.own + fieldY - second * 0.05 * pace;
        const angle = noise.at(across, down) * 1.5;
        const [nextX, nextY] = [x + step * Math.cos(angle), y + step * Math.sin(angle) * 0.85];
        // Curves through the midpoints have no corners.
        context.quadraticCurveTo(x, y, (x + nextX) / 2, (y + nextY) / 2);
        [x, y] = [nextX, nextY];
      }
    },
  });
}

/** Music as an image: strings that swing to a slow beat, and bars below them. */
export function createStrings(scene: SceneContext): Scene {
  const { size, palette, noise, random, brief, camera } = scene;
  const { width, height } = size;
  const [count, points, bars] = [6, 36, 72];
  const lines = Array.from({ length: count }, (_, index) => ({
    share: index / (count - 1),
    waves: 1.4 + random() * 1.6,
    pace: 0.5 + random() * 0.6,
    phase: random() * Math.PI * 2,
    row: random() * 60,
    thickness: 1.8,
    color: mix(mix(palette.low, palette.horizon, index / count), palette.light, 0.2),
  }));
  const loudAt = (second: number): number => {
    const share = (second * 1.3 * brief.pace ** 0.6) % 1;
    return 0.62 + 0.38 * Math.exp(-share * 3.4) * clamp(share * 14);
  };
  return createLines(scene, {
    ...{ depth: 0.5, lines },
    strengthAt: (_, second) => 0.5 + loudAt(second) * 0.7,
    trace(context, { share: row, waves, pace, phase, row: seed }, second) {
      const reach = Math.min(height * 0.2, width * 0.24);
      const strength = loudAt(second) * (0.5 + 0.5 * noise.at(second * 0.5, seed));
      const moved = camera.at(second).x(0.3);
      context.beginPath();
      let [beforeX, beforeY] = [0, 0];
      for (let point = 0; point <= points; point += 1) {
        const share = point / points;
        const held = Math.sin(Math.PI * share) ** 1.5;
        const swing =
          Math.sin(share * Math.PI * 2 * waves + second * pace * 2.6 + phase) +
          0.4 * Math.sin(share * Math.PI * 9 - second * 3.1 + phase * 2);
        const x = (share * 1.2 - 0.1) * width + moved * held;
        const y = height * 0.42 + (row - 0.5) * reach * 0.3 + swing * strength * held * reach;
        if (point === 0) context.moveTo(x, y);
        else context.quadraticCurveTo(beforeX, beforeY, (beforeX + x) / 2, (beforeY + y) / 2);
        [beforeX, beforeY] = [x, y];
      }
    },
    drawBehind(context, second) {
      const wide = width / bars;
      context.fillStyle = css(mix(palette.low, palette.horizon, 0.4), 0.4);
      context.beginPath();
      for (let bar = 0; bar < bars; bar += 1) {
        const away = Math.abs((bar + 0.5) / bars - 0.5) * 2;
        const note = 0.5 + 0.5 * noise.at(bar * 0.37, second * 1.7 + (bar % 3));
        const tall = height * 0.13 * (0.08 + note ** 2 * loudAt(second) * (1.15 - away * 0.8));
        context.roundRect((bar + 0.28) * wide, height * 0.68 - tall, wide * 0.44, tall * 1.5, wide);
      }
      context.fill();
    },
  });
}
