/** A floating astronaut: a white suit lit from one side, turning slowly. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { fillPath, strokePath } from '../../elements/paths.ts';
import type { SceneContext } from '../scene.ts';

type AstronautPlan = {
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly depth: number;
  readonly sunSide: 1 | -1;
};

/** The image is 480 by 520 with the body in the middle. */
const [wide, tall] = [480, 520];

export function createAstronaut(scene: SceneContext, plan: AstronautPlan) {
  const { random } = scene;
  const scale = plan.height / 400;
  const image = paintAstronaut(scene, plan, scale);
  const phase = random() * 6;
  return {
    draw(context: SKRSContext2D, camera: Camera, second: number): void {
      camera.look(context, plan.depth, () => {
        const rise = Math.sin(second * 0.55 + phase) * plan.height * 0.05;
        const drift = (second - scene.seconds / 2) * plan.height * 0.03;
        context.save();
        context.translate(plan.x + drift, plan.y + rise);
        context.rotate(-0.22 + Math.sin(second * 0.32 + phase) * 0.16);
        context.drawImage(image, (-wide / 2) * scale, (-tall / 2) * scale);
        context.restore();
      });
    },
  };
}

function paintAstronaut(scene: SceneContext, plan: AstronautPlan, scale: number): Canvas {
  const canvas = createCanvas(Math.ceil(wide * scale), Math.ceil(tall * scale));
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  context.translate(wide / 2, tall / 2);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  paintPack(context);
  paintLimbs(context);
  paintTorso(context);
  paintHelmet(context);
  paintLight(context, scene, plan.sunSide);
  paintVisor(context, scene, plan.sunSide);
  return canvas;
}

const suit: Color = [226, 228, 232];
const joint: Color = [150, 154, 164];
const boot: Color = [116, 120, 132];

function paintPack(context: SKRSContext2D): void {
  context.fillStyle = css([170, 174, 184]);
  context.beginPath();
  context.roundRect(-84, -128, 168, 190, 26);
  context.fill();
  context.fillStyle = css([128, 132, 144]);
  context.fillRect(-84, -40, 168, 10);
}

/** Start, bend and end of a limb, as x and y in turn. */
type Limb = readonly [number, number, number, number, number, number];
const legs: readonly Limb[] = [
  [-34, 66, -66, 150, -26, 214],
  [36, 62, 104, 120, 98, 200],
];
const arms: readonly Limb[] = [
  [-66, -84, -150, -66, -164, -148],
  [66, -84, 128, -30, 182, -62],
];

function paintLimb(context: SKRSContext2D, limb: Limb, width: number): void {
  const [startX, startY, bendX, bendY, endX, endY] = limb;
  strokePath(context, suit, width, `M${startX} ${startY}Q${bendX} ${bendY} ${endX} ${endY}`);
}

function paintLimbs(context: SKRSContext2D): void {
  for (const leg of legs) {
    paintLimb(context, leg, 62);
    fillEllipse(context, boot, [leg[4] + 8, leg[5] + 18, 44, 27, 0.25]);
  }
  for (const arm of arms) {
    paintLimb(context, arm, 52);
    fillEllipse(context, boot, [arm[4], arm[5], 28, 25, 0]);
  }
}

type Ellipse = readonly [x: number, y: number, across: number, down: number, turn: number];

function fillEllipse(context: SKRSContext2D, color: Color, ellipse: Ellipse, alpha = 1): void {
  context.fillStyle = css(color, alpha);
  context.beginPath();
  context.ellipse(...ellipse, 0, Math.PI * 2);
  context.fill();
}

function paintTorso(context: SKRSContext2D): void {
  const torso = 'M-70-112Q-88-40-68 40Q-66 96 0 98Q66 96 68 40Q88-40 70-112Q0-138-70-112';
  fillPath(context, suit, torso);
  strokePath(context, joint, 6, 'M-66 42Q0 60 66 42');
  context.fillStyle = css([186, 190, 198]);
  context.beginPath();
  context.roundRect(-42, -52, 84, 56, 10);
  context.fill();
  for (const [index, color] of ['c4483a', '4680be', 'dcac46'].entries()) {
    context.fillStyle = `#${color}`;
    context.fillRect(-30 + index * 22, -40, 14, 10);
  }
  context.fillStyle = css(boot);
  context.fillRect(-30, -20, 60, 8);
  strokePath(context, boot, 7, 'M-40-30Q-78-40-70-88');
}

function paintHelmet(context: SKRSContext2D): void {
  fillEllipse(context, joint, [0, -116, 62, 22, 0]);
  fillEllipse(context, mix(suit, white, 0.5), [0, -172, 72, 74, 0]);
}

function paintLight(context: SKRSContext2D, { palette }: SceneContext, sunSide: 1 | -1): void {
  const light = context.createLinearGradient(sunSide * 180, -180, -sunSide * 150, 170);
  light.addColorStop(0, css(mix(palette.light, white, 0.5), 0.25));
  light.addColorStop(0.36, css(palette.high, 0.1));
  light.addColorStop(0.66, css(mix(palette.shade, palette.middle, 0.3), 0.7));
  light.addColorStop(1, css(palette.shade, 0.94));
  context.globalCompositeOperation = 'source-atop';
  context.fillStyle = light;
  context.fillRect(-wide / 2, -tall / 2, wide, tall);
  context.globalCompositeOperation = 'source-over';
}

function paintVisor(context: SKRSContext2D, { palette }: SceneContext, sunSide: 1 | -1): void {
  const glass = context.createLinearGradient(sunSide * 40, -220, -sunSide * 40, -130);
  glass.addColorStop(0, css(mix(palette.light, [255, 196, 110], 0.5)));
  glass.addColorStop(0.4, css(mix(palette.low, [150, 90, 40], 0.5)));
  glass.addColorStop(1, css(mix(palette.shade, palette.high, 0.4)));
  context.save();
  context.beginPath();
  context.ellipse(sunSide * 4, -170, 54, 48, 0, 0, Math.PI * 2);
  context.fillStyle = glass;
  context.fill();
  context.clip();
  fillEllipse(context, mix(palette.horizon, white, 0.3), [-sunSide * 18, -128, 62, 34, -0.2], 0.35);
  fillEllipse(context, white, [sunSide * 24, -194, 13, 8, -0.6 * sunSide], 0.85);
  context.restore();
  context.strokeStyle = css([96, 100, 112], 0.9);
  context.lineWidth = 5;
  context.beginPath();
  context.ellipse(sunSide * 4, -170, 54, 48, 0, 0, Math.PI * 2);
  context.stroke();
}
