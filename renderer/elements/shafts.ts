/** Shafts of light from above, through leaves or water, that brighten and fade. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { type Color, css } from '../color.ts';
import { between } from '../random.ts';
import { addLight, type SceneContext } from '../scenes/scene.ts';

type ShaftsPlan = {
  readonly x: number;
  readonly slant: number;
  readonly color: Color;
  readonly alpha: number;
  readonly count: number;
};

const depth = 0.3;
/** Each shaft is drawn as nested shafts, which softens its sides. */
const shells = 4;
/** Pixels per drawn pixel. Drawing small and enlarging is the cheapest way to draw soft light. */
const coarseness = 8;

export function createShafts(scene: SceneContext, plan: ShaftsPlan) {
  const { size, random, unit } = scene;
  const tall = size.height * 0.86;
  const beams = Array.from({ length: plan.count }, (_, index) => {
    const place = (index / plan.count - 0.5) * between(random, { from: 0.7, to: 1.2 });
    return {
      x: plan.x + place * size.width * 0.7,
      wide: Math.min(size.width, size.height * 1.3) * between(random, { from: 0.05, to: 0.12 }),
      phase: random() * Math.PI * 2,
      pace: between(random, { from: 0.35, to: 0.8 }),
    };
  });
  const slant = plan.slant * tall;
  const left = Math.min(...beams.map(({ x, wide }) => x - wide + Math.min(0, slant)));
  const right = Math.max(...beams.map(({ x, wide }) => x + wide + Math.max(0, slant)));
  const scale = 1 / (coarseness * unit);
  const small = createCanvas(Math.ceil((right - left) * scale), Math.ceil(tall * scale));
  const context = small.getContext('2d');
  const light = context.createLinearGradient(0, 0, 0, tall);
  light.addColorStop(0, css(plan.color, 0.6));
  light.addColorStop(0.12, css(plan.color, 1));
  light.addColorStop(0.55, css(plan.color, 0.5));
  light.addColorStop(1, css(plan.color, 0));

  function paint(second: number): void {
    context.resetTransform();
    context.clearRect(0, 0, small.width, small.height);
    context.scale(scale, scale);
    context.translate(-left, 0);
    context.fillStyle = light;
    for (const { x, wide, phase, pace } of beams) {
      const strength = plan.alpha * (0.55 + 0.45 * Math.sin(second * pace + phase));
      context.globalAlpha = strength / shells;
      for (let shell = 1; shell <= shells; shell += 1) {
        const half = (wide / 2) * (shell / shells);
        context.beginPath();
        context.moveTo(x - half * 0.7, 0);
        context.lineTo(x + half * 0.7, 0);
        context.lineTo(x + slant + half * 1.3, tall);
        context.lineTo(x + slant - half * 1.3, tall);
        context.fill();
      }
    }
  }

  return (target: SKRSContext2D, camera: Camera): void => {
    paint(camera.second);
    camera.look(target, depth, () => {
      addLight(target, () => {
        const top = -size.height * 0.04;
        target.drawImage(small, left, top, small.width / scale, small.height / scale);
      });
    });
  };
}
