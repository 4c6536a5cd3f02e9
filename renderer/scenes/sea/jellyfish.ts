/** Jellyfish: glowing bells that pulse and rise, with trailing arms and threads. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, colorsOf, css, mix, white } from '../../color.ts';
import { fillPath } from '../../elements/paths.ts';
import { wrap } from '../../motion.ts';
import { addLight, glowOf, type SceneContext } from '../scene.ts';

const tints = colorsOf('ff78be 78c8ff be82ff 6effdc');

type Jelly = {
  readonly bell: Canvas;
  readonly glow: Canvas;
  readonly color: Color;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly depth: number;
  readonly phase: number;
  readonly beat: number;
};

export function createJellyfish(scene: SceneContext) {
  const { size, random, palette, brief } = scene;
  const side = Math.min(size.width, size.height);
  const first = Math.floor(random() * tints.length);
  const pace = brief.pace ** 0.6;
  const jellies: readonly Jelly[] = [
    { x: 0.62, y: 0.4, radius: 0.115, depth: 0.6 },
    { x: 0.3, y: 0.3, radius: 0.068, depth: 0.4 },
    { x: 0.82, y: 0.7, radius: 0.06, depth: 0.36 },
    { x: 0.45, y: 0.78, radius: 0.046, depth: 0.28 },
    { x: 0.12, y: 0.58, radius: 0.04, depth: 0.24 },
    { x: 0.88, y: 0.22, radius: 0.034, depth: 0.2 },
    { x: 0.5, y: 0.14, radius: 0.028, depth: 0.16 },
  ].map(({ x, y, radius, depth }, index) => {
    const tint = tints[(first + (index % 3)) % tints.length]!;
    const color = mix(tint, palette.low, 0.5 - depth * 0.6);
    return {
      ...{ color, depth },
      bell: bellOf(color),
      glow: glowOf(color, 128),
      x: x + (random() - 0.5) * 0.08,
      y: y + (random() - 0.5) * 0.08,
      radius: radius * side,
      phase: random() * 6,
      beat: 1.5 + random() * 0.5,
    };
  });
  const order = [...jellies].sort((one, other) => one.depth - other.depth);

  return (context: SKRSContext2D, camera: Camera): void => {
    for (const jelly of order) {
      const time = camera.second * pace;
      const turn = time * jelly.beat + jelly.phase;
      const lift = time * 0.016 + Math.sin(turn - 0.8) * 0.006;
      const y = (wrap(jelly.y - lift + 0.2) * 1.4 - 0.2) * size.height;
      const x = (jelly.x + Math.sin(time * 0.24 + jelly.phase) * 0.018) * size.width;
      camera.look(context, jelly.depth, () => {
        context.save();
        context.translate(x, y);
        context.rotate(Math.sin(time * 0.3 + jelly.phase) * 0.16);
        drawJelly(context, jelly, { turn, time });
        context.restore();
      });
    }
  };
}

function drawJelly(
  context: SKRSContext2D,
  jelly: Jelly,
  { turn, time }: { readonly turn: number; readonly time: number },
): void {
  const { radius, color } = jelly;
  const squeeze = Math.sin(turn);
  const [wide, tall] = [radius * (1 + 0.13 * squeeze), radius * (1 - 0.1 * squeeze)];
  addLight(context, () => {
    context.globalAlpha = 0.46 + 0.12 * squeeze;
    context.drawImage(jelly.glow, -radius * 1.7, -radius * 1.6, radius * 3.4, radius * 3.4);
    context.globalAlpha = 1;
    drawThreads(context, { wide, tall, radius, time, phase: jelly.phase, color });
    context.drawImage(jelly.bell, -wide, -tall, wide * 2, tall * 2);
  });
}

function drawThreads(
  context: SKRSContext2D,
  look: { wide: number; tall: number; radius: number; time: number; phase: number; color: Color },
): void {
  const { wide, tall, radius, time, phase, color } = look;
  const strand = (from: number, long: number, sway: number): void => {
    context.moveTo(from, tall * 0.34);
    for (let joint = 1; joint <= 6; joint += 1) {
      const down = joint / 6;
      const bend = Math.sin(time * 1.4 - down * 3.4 + phase + from * 0.09) * sway * down;
      const x = from * (1 - down * 0.25) + bend;
      context.lineTo(x, tall * 0.34 + down * long);
    }
  };
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.strokeStyle = css(mix(color, white, 0.2), 0.34);
  context.lineWidth = Math.max(0.7, radius * 0.016);
  context.beginPath();
  for (let each = -4; each <= 4; each += 1) {
    strand((each / 4.6) * wide, radius * (2.1 + 0.5 * Math.cos(each * 2.3)), radius * 0.24);
  }
  context.stroke();
  context.strokeStyle = css(mix(color, white, 0.35), 0.3);
  context.lineWidth = radius * 0.085;
  context.beginPath();
  for (const each of [-0.2, 0, 0.2]) strand(each * wide, radius * 1.5, radius * 0.2);
  context.stroke();
}

function bellOf(color: Color): Canvas {
  const canvas = createCanvas(192, 192);
  const context = canvas.getContext('2d');
  context.translate(96, 96);
  context.scale(94, 94);
  const dome = context.createRadialGradient(0, -0.1, 0.1, 0, -0.1, 1.05);
  dome.addColorStop(0, css(color, 0.26));
  dome.addColorStop(0.6, css(color, 0.36));
  dome.addColorStop(0.92, css(mix(color, white, 0.4), 0.75));
  dome.addColorStop(1, css(mix(color, white, 0.6), 0.5));
  const scallops = [5, 3, 1, -1, -3, -5].map((x) => `Q${x / 6} .5 ${(x - 1) / 6} .36`);
  const bell = `M-1 .36C-1.02-.5-.6-.98 0-.98S1.02-.5 1 .36${scallops.join('')}`;
  fillPath(context, dome, bell);
  context.strokeStyle = css(mix(color, white, 0.5), 0.5);
  context.lineWidth = 0.03;
  for (const x of [-0.34, -0.12, 0.12, 0.34]) {
    context.beginPath();
    context.ellipse(x, -0.28, 0.1, 0.17, x * 0.8, 0, Math.PI * 2);
    context.stroke();
  }
  const shine = context.createLinearGradient(0, -1, 0, 0.3);
  shine.addColorStop(0, css(white, 0.5));
  shine.addColorStop(0.5, css(white, 0));
  context.fillStyle = shine;
  context.beginPath();
  context.ellipse(-0.24, -0.6, 0.36, 0.22, -0.5, 0, Math.PI * 2);
  context.fill();
  return canvas;
}
