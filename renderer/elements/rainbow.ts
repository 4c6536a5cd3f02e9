/** A rainbow opposite the sun: a bow of seven soft colors and a fainter second bow. */
import type { Canvas } from '@napi-rs/canvas';
import type { SceneContext } from '../scenes/scene.ts';

type RainbowPlan = {
  readonly left: number;
  readonly top: number;
  readonly horizon: number;
  readonly sun: { readonly x: number };
};

const bands = ['138,78,200', '70,110,235', '60,190,220', '90,215,110', '250,225,90', '250,150,60'];
const outside = '240,70,70';

export function drawRainbow(canvas: Canvas, { size }: SceneContext, plan: RainbowPlan): void {
  const { width, height } = size;
  const context = canvas.getContext('2d');
  const side = Math.min(width, height * 1.3);
  const x = (plan.sun.x > 0.5 ? 0.3 : 0.7) * width - plan.left;
  const y = (plan.horizon + 0.06) * height - plan.top;
  context.save();
  context.globalCompositeOperation = 'screen';
  for (const [radius, thickness, alpha, order] of [
    [side * 0.36, side * 0.03, 0.5, [...bands, outside]],
    [side * 0.44, side * 0.04, 0.15, [...bands, outside].reverse()],
  ] as const) {
    const inner = radius - thickness;
    const bow = context.createRadialGradient(x, y, inner, x, y, radius + thickness);
    bow.addColorStop(0, `rgba(${order[0]},0)`);
    for (const [index, color] of order.entries()) {
      bow.addColorStop(0.16 + (index / (order.length - 1)) * 0.68, `rgba(${color},${alpha})`);
    }
    bow.addColorStop(1, `rgba(${order.at(-1)},0)`);
    context.fillStyle = bow;
    context.beginPath();
    context.arc(x, y, radius + thickness, 0, Math.PI * 2);
    context.arc(x, y, inner, 0, Math.PI * 2, true);
    context.fill();
  }
  context.restore();
}
