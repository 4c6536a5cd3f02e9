/** Rain in three depths: fine threads far away, long ones close to the camera. */
import { css, mix, white } from '../color.ts';
import { wrap } from '../motion.ts';
import type { DrawAt, SceneContext } from '../scenes/scene.ts';

const depths = [
  { drops: 120, long: 20, wide: 0.9, alpha: 0.2, speed: 1.15, near: 0.3 },
  { drops: 64, long: 42, wide: 1.3, alpha: 0.24, speed: 1.6, near: 0.7 },
  { drops: 18, long: 92, wide: 2.2, alpha: 0.17, speed: 2.3, near: 1.3 },
] as const;
/** The golden ratio: successive drops of a thread never repeat a position. */
const golden = 0.618034;

export function createRainfall(scene: SceneContext, strength = 1): DrawAt {
  const { size, palette, random, unit, brief, camera } = scene;
  const { width, height } = size;
  const isStorm = brief.weather === 'storm';
  const lean = (isStorm ? 0.34 : 0.1) * (random() < 0.5 ? -1 : 1);
  // In slow motion the drops must still fall, not float.
  const pace = brief.pace < 0.55 ? 0.35 : 0.85 + 0.15 * brief.pace;
  const area = (width * height) / (1280 * 720 * unit * unit);
  const sheets = depths.map((depth) => ({
    ...depth,
    drops: Array.from({ length: Math.round(depth.drops * area * (isStorm ? 1.1 : 1)) }, () => ({
      x: random(),
      phase: random(),
      speed: depth.speed * (0.85 + random() * 0.3),
      long: depth.long * unit * (0.7 + random() * 0.6),
    })),
  }));
  const color = mix(mix(palette.horizon, palette.light, 0.5), white, 0.4);

  return (context, second) => {
    const view = camera.at(second);
    const wide = width + height * Math.abs(lean);
    for (const { drops, wide: thick, alpha, near } of sheets) {
      context.strokeStyle = css(color, alpha * strength * (palette.time === 'day' ? 1.3 : 1));
      context.lineWidth = thick * unit;
      context.beginPath();
      for (const { x, phase, speed, long } of drops) {
        const fallen = phase + second * speed * pace;
        const share = wrap(fallen);
        const place = wrap(x + Math.floor(fallen) * golden + view.x(near) / wide);
        const top = share * (height + long) - long;
        const left = place * wide - (lean > 0 ? height * lean : 0) + top * lean;
        context.moveTo(left, top);
        context.lineTo(left + long * lean, top + long);
      }
      context.stroke();
    }
  };
}
