/** Lines of light that follow one field of directions. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { addLight, type Scene, type SceneContext } from '../scene.ts';
import { createSoftStage } from './soft-stage.ts';

const linesCount = 15;
const pointsCount = 22;

export function createLightLines(scene: SceneContext): Scene {
  const { size, palette, noise, random, unit, brief } = scene;
  const { width, height } = size;
  const stage = createSoftStage(scene, { depth: 0.35 });
  const air = createAir(scene, { horizon: 1 });
  const lines = Array.from({ length: linesCount }, (_, index) => ({
    // Three streams with calm space between them.
    start: 0.18 + (index % 3) * 0.3 + (random() - 0.5) * 0.2,
    own: random() * 0.55,
    phase: random() * Math.PI * 2,
    thickness: 0.7 + random() ** 2 * 2.2,
    color: mix(mix(palette.low, palette.horizon, random()), palette.light, random() * 0.4),
  }));
  type Line = (typeof lines)[number];
  const [fieldX, fieldY] = [random() * 100, random() * 100];
  const pace = brief.pace ** 0.7;

  function trace(context: SKRSContext2D, line: Line, second: number): void {
    const travel = scene.camera.at(second).share * 0.25;
    const step = (width * 1.6) / pointsCount;
    let x = -width * 0.14;
    let y = line.start * height;
    context.beginPath();
    context.moveTo(x, y);
    for (let point = 0; point < pointsCount; point += 1) {
      const across = (x / width) * 1.7 + fieldX + second * 0.06 * pace + travel;
      const down = (y / height) * 1.2 + line.own + fieldY - second * 0.05 * pace;
      const angle = noise.at(across, down) * 1.5;
      const nextX = x + step * Math.cos(angle);
      const nextY = y + step * Math.sin(angle) * 0.85;
      // Curves through the midpoints have no corners.
      context.quadraticCurveTo(x, y, (x + nextX) / 2, (y + nextY) / 2);
      x = nextX;
      y = nextY;
    }
  }
  const breathOf = ({ phase }: Line, second: number): number =>
    0.55 + 0.45 * Math.sin(second * 0.9 + phase);

  return {
    draw(context, second) {
      stage.draw(context, second, (glow) => {
        glow.lineCap = 'round';
        for (const line of lines) {
          const breath = breathOf(line, second);
          trace(glow, line, second);
          for (const [times, alpha] of [
            [34, 0.07],
            [10, 0.16],
          ] as const) {
            glow.strokeStyle = css(line.color, alpha * (0.4 + breath));
            glow.lineWidth = line.thickness * times * unit;
            glow.stroke();
          }
        }
      });
      addLight(context, () => {
        context.lineCap = 'round';
        for (const line of lines) {
          trace(context, line, second);
          const color = mix(line.color, palette.light, 0.6);
          context.strokeStyle = css(color, 0.5 * breathOf(line, second) + 0.18);
          context.lineWidth = Math.max(0.8, line.thickness * unit);
          context.stroke();
        }
      });
      air.drawSpecks(context, second);
    },
  };
}
