/** Leaves or petals that fall and turn. All of one color are filled as one path. */
import { type Color, css } from '../color.ts';
import { wrap } from '../motion.ts';
import { between } from '../random.ts';
import type { DrawAt, SceneContext } from '../scenes/scene.ts';
import { addLeaf } from './foliage.ts';

type DriftersPlan = {
  readonly count: number;
  readonly colors: readonly Color[];
  readonly length: number;
  /** Frame heights per second; a negative wind blows to the left. */
  readonly fall: number;
  readonly wind: number;
  /** Width divided by length; petals are rounder than leaves. */
  readonly round: number;
};

export function createDrifters(scene: SceneContext, plan: DriftersPlan): DrawAt {
  const { size, random, unit, camera, brief } = scene;
  const drifters = Array.from({ length: plan.count }, (_, index) => ({
    color: index % plan.colors.length,
    x: random(),
    y: random(),
    depth: between(random, { from: 0.25, to: 1 }),
    pace: between(random, { from: 0.7, to: 1.3 }),
    phase: random() * Math.PI * 2,
    spin: between(random, { from: -1.6, to: 1.6 }),
  }));

  return (context, second) => {
    const view = camera.at(second);
    const passed = second * brief.pace ** 0.5;
    for (const [index, color] of plan.colors.entries()) {
      context.fillStyle = css(color, 0.92);
      context.beginPath();
      for (const { color: own, x, y, depth, pace, phase, spin } of drifters) {
        if (own !== index) continue;
        const sway = Math.sin(passed * 1.3 * pace + phase);
        const across = x + passed * plan.wind * pace * depth + sway * 0.016;
        const down = y + passed * plan.fall * pace * (0.4 + depth * 0.6);
        // The area is wider than the frame, so that nothing disappears in view.
        const left = (wrap(across + view.x(depth) / size.width) * 1.16 - 0.08) * size.width;
        const top = (wrap(down + view.y(depth) / size.height) * 1.16 - 0.08) * size.height;
        const long = plan.length * depth * unit;
        const turn = phase + passed * spin + sway * 0.5;
        const half =
          long * plan.round * (0.2 + 0.8 * Math.abs(Math.sin(passed * 1.9 * pace + phase)));
        addLeaf(context, { x: left, y: top, long, half, turn });
      }
      context.fill();
    }
  };
}
