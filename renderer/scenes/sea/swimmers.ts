/** Large animals that pass below the surface when they are named: a whale, a turtle, a shark. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import type { SceneContext } from '../scene.ts';

type FishColors = { readonly body: Color; readonly belly: Color; readonly mark: Color };
type Painter = (context: SKRSContext2D, look: FishColors, beat: number) => void;

export function createSwimmers(setting: SceneContext) {
  const { size, palette, brief, random, seconds } = setting;
  const painter: Painter | null = brief.shows('turtle')
    ? paintTurtle
    : brief.shows('whale')
      ? paintWhale
      : brief.mentions(/\bshark/)
        ? paintShark
        : null;
  if (!painter) return null;
  const isWhale = painter === paintWhale;
  const side = Math.min(size.width, size.height * 1.4);
  const long = side * (isWhale ? 0.62 : 0.34);
  const water = mix(palette.middle, palette.low, 0.3);
  const veil = isWhale ? 0.42 : 0.25;
  const dyed = (color: Color): Color => mix(color, water, veil);
  const green = painter === paintTurtle;
  const look: FishColors = {
    body: dyed(green ? [70, 104, 70] : mix([46, 66, 88], palette.shade, 0.3)),
    belly: dyed(green ? [206, 190, 130] : [176, 198, 210]),
    mark: dyed(green ? [116, 140, 80] : [90, 116, 138]),
  };
  const way = random() < 0.5 ? 1 : -1;
  const speed = (0.4 * size.width) / Math.max(5, seconds);
  const beats = isWhale ? 1.1 : green ? 1.6 : 3;
  const pace = brief.pace ** 0.6;
  const depth = isWhale ? 0.3 : 0.5;

  return (context: SKRSContext2D, camera: Camera): void =>
    camera.look(context, depth, () => {
      const time = camera.second * pace;
      const x = size.width * 0.5 + way * speed * (camera.second - seconds / 2);
      const y = size.height * 0.42 + Math.sin(time * 0.7) * size.height * 0.02;
      context.save();
      context.translate(x, y);
      context.scale(way * long, long);
      context.rotate(Math.sin(time * 0.7 + 1.5) * 0.05 - 0.04);
      painter(context, look, Math.sin(time * beats));
      context.restore();
    });
}

const paintWhale: Painter = (context, { body, belly, mark }, beat) => {
  const tail = beat * 0.05;
  const shading = context.createLinearGradient(0, -0.16, 0, 0.1);
  shading.addColorStop(0, css(mix(body, mark, 0.75)));
  shading.addColorStop(0.55, css(body));
  context.fillStyle = shading;
  context.beginPath();
  context.moveTo(0.5, 0);
  context.bezierCurveTo(0.44, -0.13, 0.2, -0.16, 0, -0.14);
  context.bezierCurveTo(-0.2, -0.12, -0.34, -0.04, -0.44, tail - 0.015);
  context.bezierCurveTo(-0.5, tail - 0.05, -0.56, tail * 1.8 - 0.07, -0.62, tail * 2 - 0.06);
  context.quadraticCurveTo(-0.55, tail * 1.6, -0.62, tail * 2 + 0.07);
  context.bezierCurveTo(-0.55, tail * 1.8 + 0.07, -0.5, tail + 0.06, -0.44, tail + 0.03);
  context.bezierCurveTo(-0.3, 0.06, -0.1, 0.13, 0.12, 0.13);
  context.bezierCurveTo(0.34, 0.13, 0.47, 0.1, 0.5, 0);
  context.fill();
  context.fillStyle = css(belly);
  context.beginPath();
  context.moveTo(0.49, 0.03);
  context.bezierCurveTo(0.3, 0.05, 0.1, 0.06, -0.12, 0.1);
  context.bezierCurveTo(0.02, 0.14, 0.2, 0.135, 0.3, 0.12);
  context.bezierCurveTo(0.42, 0.1, 0.48, 0.07, 0.49, 0.03);
  context.fill();
  context.strokeStyle = css(mark, 0.7);
  context.lineWidth = 0.004;
  context.beginPath();
  for (let groove = 0; groove < 5; groove += 1) {
    const down = 0.055 + groove * 0.016;
    context.moveTo(0.46 - groove * 0.02, down);
    context.quadraticCurveTo(0.25, down + 0.012, -0.02 + groove * 0.04, 0.098 + groove * 0.006);
  }
  context.stroke();
  context.fillStyle = css(mix(body, mark, 0.4));
  context.beginPath();
  context.moveTo(0.2, 0.08);
  context.quadraticCurveTo(0.1 - beat * 0.03, 0.24 + beat * 0.04, -0.04, 0.26 + beat * 0.06);
  context.quadraticCurveTo(0.02, 0.16, 0.1, 0.08);
  context.fill();
  paintEye(context, { x: 0.36, y: 0.02, radius: 0.007 });
};

const paintShark: Painter = (context, { body, belly, mark }, beat) => {
  const tail = beat * 0.05;
  context.fillStyle = css(body);
  context.beginPath();
  context.moveTo(0.5, 0.02);
  context.quadraticCurveTo(0.28, -0.09, 0.06, -0.09);
  context.lineTo(-0.04, -0.22);
  context.quadraticCurveTo(-0.05, -0.12, -0.08, -0.075);
  context.quadraticCurveTo(-0.3, -0.04, -0.42, tail - 0.01);
  context.lineTo(-0.56, tail * 2 - 0.17);
  context.quadraticCurveTo(-0.5, tail, -0.52, tail * 2 + 0.1);
  context.lineTo(-0.42, tail + 0.025);
  context.quadraticCurveTo(-0.1, 0.08, 0.16, 0.08);
  context.quadraticCurveTo(0.4, 0.08, 0.5, 0.02);
  context.fill();
  context.fillStyle = css(belly);
  context.beginPath();
  context.moveTo(0.49, 0.03);
  context.quadraticCurveTo(0.1, 0.03, -0.3, 0.03);
  context.quadraticCurveTo(-0.05, 0.09, 0.16, 0.08);
  context.quadraticCurveTo(0.4, 0.08, 0.49, 0.03);
  context.fill();
  context.fillStyle = css(mark);
  context.beginPath();
  context.moveTo(0.16, 0.05);
  context.lineTo(-0.02, 0.2 + beat * 0.01);
  context.lineTo(0.04, 0.06);
  context.fill();
  paintEye(context, { x: 0.38, y: -0.012, radius: 0.009 });
};

const paintTurtle: Painter = (context, { body, belly, mark }, beat) => {
  const flipper = (x: number, reach: number, turn: number): void => {
    context.save();
    context.translate(x, 0.06);
    context.rotate(turn);
    context.fillStyle = css(mix(body, mark, 0.5));
    context.beginPath();
    context.moveTo(0.06, 0);
    context.quadraticCurveTo(0, reach * 0.6, -0.12, reach);
    context.quadraticCurveTo(-0.13, reach * 0.4, -0.06, 0);
    context.fill();
    context.restore();
  };
  flipper(-0.26, 0.2, 0.5 - beat * 0.2);
  flipper(0.2, 0.42, -0.5 - beat * 0.55);
  context.fillStyle = css(mix(body, mark, 0.5));
  context.beginPath();
  context.ellipse(0.44, 0.0, 0.12, 0.075, -0.1, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = css(belly);
  context.beginPath();
  context.ellipse(0, 0.05, 0.36, 0.11, 0, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = css(body);
  context.beginPath();
  context.moveTo(-0.4, 0.05);
  context.quadraticCurveTo(-0.3, -0.2, 0.02, -0.2);
  context.quadraticCurveTo(0.34, -0.18, 0.38, 0.04);
  context.quadraticCurveTo(0, 0.1, -0.4, 0.05);
  context.fill();
  context.strokeStyle = css(mark, 0.9);
  context.lineWidth = 0.012;
  context.beginPath();
  for (const x of [-0.2, 0.02, 0.22]) {
    context.moveTo(x - 0.04, -0.17 + Math.abs(x) * 0.3);
    context.quadraticCurveTo(x + 0.02, -0.06, x - 0.03, 0.06);
  }
  context.moveTo(-0.35, -0.03);
  context.quadraticCurveTo(0, -0.1, 0.35, -0.04);
  context.stroke();
  flipper(0.24, 0.34, 0.15 + beat * 0.5);
  paintEye(context, { x: 0.5, y: -0.02, radius: 0.013 });
};

function paintEye(context: SKRSContext2D, eye: { x: number; y: number; radius: number }): void {
  context.fillStyle = 'rgba(8,12,20,.9)';
  context.beginPath();
  context.arc(eye.x, eye.y, eye.radius, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = css(white, 0.8);
  context.beginPath();
  context.arc(
    eye.x + eye.radius * 0.3,
    eye.y - eye.radius * 0.3,
    eye.radius * 0.35,
    0,
    Math.PI * 2,
  );
  context.fill();
}
