/**
 * A sea of points of light that runs to the horizon in waves: for thoughts of data and machines.
 */
import { css, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { smooth } from '../../motion.ts';
import { glowOf, type Scene, type SceneContext } from '../scene.ts';
import { createSoftStage } from './soft-stage.ts';

const [columns, rows] = [54, 26];
/** Points are filled by brightness, each group at once. */
const brightnesses = [0.16, 0.34, 0.58, 0.9] as const;

export function createPointField(setting: SceneContext): Scene {
  const { size, palette, noise, random, unit, brief } = setting;
  const { width, height } = size;
  const stage = createSoftStage(setting, { depth: 0.7 });
  const air = createAir(setting, { horizon: 1 });
  const start = random() * 50;
  const horizon = height * 0.4;
  const glow = glowOf(mix(palette.low, palette.horizon, 0.5), 128);
  const sun = { x: width * (0.42 + random() * 0.16), reach: Math.min(width, height) * 0.6 };
  const colors = brightnesses.map((share) => mix(palette.low, palette.light, share));

  return {
    draw(context, second) {
      const camera = setting.camera.at(second);
      const passed = second * brief.pace ** 0.7;
      stage.draw(context, second, (soft) => {
        soft.globalAlpha = 0.6;
        const { x, reach } = sun;
        soft.drawImage(glow, x - reach * 1.6, horizon - reach * 0.5, reach * 3.2, reach);
      });
      const groups: number[][] = brightnesses.map(() => []);
      for (let row = 0; row < rows; row += 1) {
        // Towards the eye by a row in a second and a half; at the far edge they fade in.
        const away = (rows - row - ((passed * 0.66) % 1)) / rows;
        if (away <= 0.02) continue;
        const index = row + Math.floor(passed * 0.66);
        const near = 1 / (0.2 + away * 1.25);
        const shown = smooth(away, { from: 1, to: 0.78 }) * smooth(away, { from: 0.02, to: 0.14 });
        for (let column = 0; column < columns; column += 1) {
          const across = (column + (index % 2) * 0.5) / columns - 0.5;
          const wave =
            noise.at(across * 5 + start, index * 0.16 - passed * 0.22) * 0.5 +
            Math.sin(across * 9 + index * 0.35 + passed * 1.1) * 0.22;
          const x = width / 2 + across * width * 0.62 * near + camera.x(0.3 + near * 0.06);
          const y = horizon + (height * 0.1 - wave * height * 0.1) * near;
          if (x < -8 || x > width + 8 || y > height + 8) continue;
          const lit = shown * (0.62 + wave * 1.25);
          const group = brightnesses.findLastIndex((least) => lit >= least);
          groups[group]?.push(x, y, Math.max(0.9, 0.85 * near) * unit);
        }
      }
      for (const [group, places] of groups.entries()) {
        context.fillStyle = css(colors[group]!, 0.35 + brightnesses[group]! * 0.6);
        context.beginPath();
        for (let at = 0; at < places.length; at += 3) {
          const half = places[at + 2]!;
          context.rect(places[at]! - half, places[at + 1]! - half, half * 2, half * 2);
        }
        context.fill();
      }
      air.drawSpecks(context, second);
    },
  };
}
