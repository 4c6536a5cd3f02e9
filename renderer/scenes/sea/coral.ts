/** Corals along the edge of a reef: branches, fans, brains and tubes. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, colorsOf, css, mix, white } from '../../color.ts';
import type { Random } from '../../random.ts';
import type { SceneContext } from '../scene.ts';

const dyes = colorsOf('ff7078 ffa054 e660b4 a06ee6 fad060 60c4ba');

type CoralPlan = {
  readonly left: number;
  readonly right: number;
  edgeAt(x: number): number;
};

export function paintCoral(context: SKRSContext2D, scene: SceneContext, plan: CoralPlan): void {
  const { size, palette, random } = scene;
  const side = Math.min(size.height, size.width * 1.2);
  const gap = side * 0.075;
  const painters = [paintBranches, paintFan, paintBrain, paintTubes];
  for (let x = plan.left + gap * random(); x < plan.right; x += gap * (0.6 + random() * 0.9)) {
    const middle = Math.abs(x / size.width - 0.52);
    if (middle < 0.12 && random() < 0.5) continue;
    const dye = dyes[Math.floor(random() * dyes.length)]!;
    const color = mix(
      dye,
      mix(palette.middle, palette.shade, palette.night ? 0.5 : 0.1),
      palette.night ? 0.62 : 0.34,
    );
    const tall = side * (0.05 + random() * 0.07);
    context.save();
    context.translate(x, plan.edgeAt(x) + tall * 0.16);
    context.scale(tall, tall);
    painters[Math.floor(random() * painters.length)]!(context, color, random);
    context.restore();
  }
}

function paintBranches(context: SKRSContext2D, color: Color, random: Random): void {
  context.lineCap = 'round';
  const grow = (x: number, y: number, angle: number, long: number, left: number): void => {
    const [endX, endY] = [x + Math.cos(angle) * long, y + Math.sin(angle) * long];
    context.strokeStyle = css(mix(color, white, left === 0 ? 0.35 : 0.1));
    context.lineWidth = 0.035 + left * 0.03;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(endX, endY);
    context.stroke();
    if (left === 0) return;
    for (const turn of [-0.5, 0.42]) {
      grow(
        endX,
        endY,
        angle + turn + (random() - 0.5) * 0.4,
        long * (0.66 + random() * 0.2),
        left - 1,
      );
    }
  };
  for (const start of [-0.4, 0, 0.4]) grow(start * 0.3, 0, -Math.PI / 2 + start, 0.36, 3);
}

function paintFan(context: SKRSContext2D, color: Color, random: Random): void {
  context.fillStyle = css(color, 0.85);
  context.beginPath();
  context.moveTo(0, 0);
  for (let rib = 0; rib <= 10; rib += 1) {
    const angle = -Math.PI * (0.95 - rib * 0.09);
    const reach = 0.92 + (rib % 2) * 0.09 + random() * 0.05;
    context.lineTo(Math.cos(angle) * reach * 0.9, Math.sin(angle) * reach * 1.1);
  }
  context.fill();
  context.strokeStyle = css(mix(color, white, 0.4), 0.7);
  context.lineWidth = 0.02;
  context.beginPath();
  for (let rib = 0; rib <= 10; rib += 1) {
    const angle = -Math.PI * (0.95 - rib * 0.09);
    context.moveTo(0, 0);
    context.lineTo(Math.cos(angle) * 0.8, Math.sin(angle) * 1.0);
  }
  context.stroke();
}

function paintBrain(context: SKRSContext2D, color: Color): void {
  const ball = context.createRadialGradient(-0.15, -0.5, 0.05, 0, -0.2, 0.7);
  ball.addColorStop(0, css(mix(color, white, 0.4)));
  ball.addColorStop(1, css(mix(color, [20, 20, 50], 0.35)));
  context.fillStyle = ball;
  context.beginPath();
  context.ellipse(0, 0, 0.66, 0.56, 0, Math.PI, 0);
  context.fill();
  context.strokeStyle = css(mix(color, [20, 20, 50], 0.4), 0.5);
  context.lineWidth = 0.025;
  context.beginPath();
  for (const reach of [0.2, 0.34, 0.48]) {
    for (let angle = Math.PI; angle < Math.PI * 2; angle += 0.28) {
      const wobble = reach + 0.035 * Math.sin(angle * 11 + reach * 20);
      const [x, y] = [Math.cos(angle) * wobble * 1.15, Math.sin(angle) * wobble];
      if (angle === Math.PI) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
  }
  context.stroke();
}

function paintTubes(context: SKRSContext2D, color: Color, random: Random): void {
  for (let tube = 0; tube < 5; tube += 1) {
    const [x, tall] = [(tube - 2) * 0.17, 0.55 + random() * 0.5];
    const lean = (tube - 2) * 0.07;
    const side = context.createLinearGradient(x - 0.09, 0, x + 0.09, 0);
    side.addColorStop(0, css(mix(color, white, 0.25)));
    side.addColorStop(1, css(mix(color, [20, 20, 50], 0.35)));
    context.fillStyle = side;
    context.beginPath();
    context.moveTo(x - 0.06, 0.1);
    context.lineTo(x + lean - 0.09, -tall);
    context.lineTo(x + lean + 0.09, -tall);
    context.lineTo(x + 0.06, 0.1);
    context.fill();
    context.fillStyle = css(mix(color, [20, 20, 50], 0.6));
    context.beginPath();
    context.ellipse(x + lean, -tall, 0.09, 0.035, 0, 0, Math.PI * 2);
    context.fill();
  }
}
