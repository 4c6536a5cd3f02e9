/** Rays of light that spread from the sun and turn slowly. */
import { mix } from '../color.ts';
import { smooth } from '../motion.ts';
import type { DrawAt, SceneContext } from '../scenes/scene.ts';
import { paintMask } from './paint.ts';

const side = 220;

export function createRays(
  scene: SceneContext,
  { sun }: { readonly sun: { readonly x: number; readonly y: number } },
): DrawAt {
  const { size, palette, noise, random } = scene;
  const start = random() * 100;
  const reach = Math.hypot(size.width, size.height) * 0.62;
  const color = mix(palette.light, palette.horizon, 0.35);
  const image = paintMask({ width: side, height: side }, { coarseness: 1, color }, (x, y) => {
    const [across, down] = [x / side - 0.5, y / side - 0.5];
    const away = Math.hypot(across, down) * 2;
    const angle = Math.atan2(down, across);
    // Noise on a circle has no seam at the start angle.
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const beam =
      noise.at(cos * 2.6 + start, sin * 2.6) + noise.at(cos * 6 + start, sin * 6 + 9) * 0.7;
    const fade = smooth(away, { from: 1, to: 0.1 }) * smooth(away, { from: 0.02, to: 0.2 });
    return smooth(beam, { from: -0.1, to: 0.8 }) * fade * 0.6;
  });
  return (context, second) => {
    context.save();
    context.translate(sun.x * size.width, sun.y * size.height);
    context.rotate(Math.sin(second * 0.12 + start) * 0.1);
    context.globalCompositeOperation = 'lighter';
    context.globalAlpha = 0.72 + 0.2 * Math.sin(second * 0.7 + start);
    context.drawImage(image, -reach, -reach, reach * 2, reach * 2);
    context.restore();
  };
}
