/** Fireflies: points of warm light that wander, light up and go out. */
import { wrap } from '../motion.ts';
import { addLight, type DrawAt, glowOf, type SceneContext } from '../scenes/scene.ts';

export function createFireflies(scene: SceneContext): DrawAt {
  const { size, noise, random, unit, camera } = scene;
  const light = glowOf([214, 255, 120], 64);
  const core = glowOf([255, 255, 224], 32);
  const flies = Array.from({ length: 34 }, () => ({
    x: random(),
    y: 0.34 + random() * 0.6,
    depth: 0.2 + random() * 0.9,
    phase: random(),
    pace: 0.2 + random() * 0.22,
    row: random() * 100,
  }));
  return (context, second) => {
    const view = camera.at(second);
    addLight(context, () => {
      for (const { x, y, depth, phase, pace, row } of flies) {
        const away = noise.at(row, second * 0.16) * 0.13;
        const lift = noise.at(second * 0.2, row) * 0.09;
        const px = wrap(x + away + view.x(depth) / size.width) * size.width;
        const py = (y + lift) * size.height + view.y(depth);
        const beat = wrap(phase + second * pace);
        const glow = beat < 0.12 ? beat / 0.12 : Math.max(0, 1 - (beat - 0.12) / 0.5);
        if (glow <= 0.01) continue;
        const radius = (6 + depth * 15) * unit;
        context.globalAlpha = glow * 0.75;
        context.drawImage(light, px - radius, py - radius, radius * 2, radius * 2);
        context.globalAlpha = glow;
        context.drawImage(core, px - radius * 0.3, py - radius * 0.3, radius * 0.6, radius * 0.6);
      }
    });
  };
}
