/** A caravan on the crest of a dune: camels, riders, and a leader on foot. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css } from '../../color.ts';
import type { SceneContext } from '../scene.ts';

type CaravanPlan = {
  readonly depth: number;
  readonly color: Color;
  /** Height of a camel, in pixels. */
  readonly tall: number;
  groundAt(x: number): number;
};

const camelsCount = 5;

export function createCaravan(scene: SceneContext, plan: CaravanPlan) {
  const { size, random, brief, seconds } = scene;
  const { tall, groundAt } = plan;
  const way = random() < 0.5 ? -1 : 1;
  const isOne = brief.mentions(/\b(a|one|single|lone|lonely) camel\b/);
  const count = isOne ? 1 : camelsCount;
  const pace = brief.pace ** 0.6;
  const speed = tall * 0.3 * pace;
  const gap = tall * 1.5;
  const middle = size.width * 0.5;

  return (context: SKRSContext2D, camera: Camera): void =>
    camera.look(context, plan.depth, () => {
      const lead = middle + way * (((count - 1) / 2) * gap + speed * (camera.second - seconds / 2));
      context.fillStyle = css(plan.color);
      context.strokeStyle = css(plan.color);
      context.lineCap = 'round';
      context.lineJoin = 'round';
      for (let index = -1; index < count; index += 1) {
        const x = lead - way * index * gap;
        const slope = Math.atan2(groundAt(x + tall * 0.4) - groundAt(x - tall * 0.4), tall * 0.8);
        const step = camera.second * 3.2 * pace + index * 1.9;
        context.save();
        context.translate(x, groundAt(x) + tall * 0.02);
        context.rotate(slope * 0.8);
        context.scale(way * tall, tall);
        if (index === -1) drawLeader(context, step);
        else drawCamel(context, { step, rider: index % 2 === 0 });
        context.restore();
      }
    });
}

function drawCamel(
  context: SKRSContext2D,
  { step, rider }: { step: number; rider: boolean },
): void {
  const bob = Math.sin(step * 2) * 0.008;
  // Camels move both legs of a side together.
  context.lineWidth = 0.055;
  context.beginPath();
  for (const [x, phase] of [
    [-0.3, 0],
    [0.16, 0.5],
    [-0.24, Math.PI],
    [0.22, Math.PI + 0.5],
  ] as const) {
    const swing = Math.sin(step + phase);
    const lift = Math.max(0, Math.cos(step + phase)) * 0.05;
    const knee = x + swing * 0.06 + 0.02;
    context.moveTo(x, -0.46 + bob);
    context.lineTo(knee, -0.24 - lift * 0.4);
    context.lineTo(x + swing * 0.13, -lift);
  }
  context.stroke();
  context.beginPath();
  context.moveTo(-0.38, -0.46 + bob);
  context.quadraticCurveTo(-0.42, -0.66 + bob, -0.26, -0.7 + bob);
  context.quadraticCurveTo(-0.16, -0.73 + bob, -0.1, -0.86 + bob);
  context.quadraticCurveTo(-0.02, -0.98 + bob, 0.06, -0.84 + bob);
  context.quadraticCurveTo(0.12, -0.72 + bob, 0.24, -0.68 + bob);
  context.quadraticCurveTo(0.36, -0.62 + bob, 0.44, -0.78 + bob);
  context.quadraticCurveTo(0.47, -0.93 + bob, 0.5, -1 + bob);
  context.quadraticCurveTo(0.54, -1.05 + bob, 0.62, -1.0 + bob);
  context.quadraticCurveTo(0.7, -0.97 + bob, 0.68, -0.92 + bob);
  context.quadraticCurveTo(0.6, -0.89 + bob, 0.56, -0.88 + bob);
  context.quadraticCurveTo(0.53, -0.66 + bob, 0.42, -0.52 + bob);
  context.quadraticCurveTo(0.3, -0.4 + bob, 0.1, -0.41 + bob);
  context.quadraticCurveTo(-0.2, -0.4 + bob, -0.38, -0.46 + bob);
  context.fill();
  context.lineWidth = 0.02;
  context.beginPath();
  context.moveTo(-0.38, -0.56 + bob);
  context.quadraticCurveTo(-0.44, -0.44 + bob, -0.42 + Math.sin(step * 0.7) * 0.02, -0.34);
  context.stroke();
  if (!rider) return;
  context.beginPath();
  context.ellipse(-0.06, -1.04 + bob, 0.09, 0.16, 0.12, 0, Math.PI * 2);
  context.arc(-0.03, -1.25 + bob, 0.065, 0, Math.PI * 2);
  context.fill();
}

function drawLeader(context: SKRSContext2D, step: number): void {
  const swing = Math.sin(step * 1.2) * 0.09;
  context.lineWidth = 0.05;
  context.beginPath();
  context.moveTo(0, -0.32);
  context.lineTo(swing, 0);
  context.moveTo(0, -0.32);
  context.lineTo(-swing, 0);
  context.stroke();
  context.beginPath();
  context.moveTo(-0.06, -0.62);
  context.quadraticCurveTo(0.02, -0.68, 0.07, -0.6);
  context.lineTo(0.11, -0.2);
  context.lineTo(-0.11, -0.2);
  context.fill();
  context.beginPath();
  context.arc(0.01, -0.71, 0.065, 0, Math.PI * 2);
  context.fill();
  context.lineWidth = 0.018;
  context.beginPath();
  context.moveTo(0.16, -0.78);
  context.lineTo(0.18, 0);
  context.moveTo(0.05, -0.52);
  context.lineTo(0.17, -0.5);
  context.stroke();
}
