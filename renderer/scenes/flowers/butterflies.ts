/** Butterflies that wander above the flowers and open and close their wings. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, colorsOf, css, mix, white } from '../../color.ts';
import { fillPath } from '../../elements/paths.ts';
import { between } from '../../random.ts';
import type { SceneContext } from '../scene.ts';

const colors = colorsOf('f69e2e 76a4fa faecaa');

export function createButterflies(scene: SceneContext) {
  const { size, random, unit, noise, brief } = scene;
  const butterflies = Array.from({ length: 5 }, (_, index) => ({
    wing: wingOf(colors[index % colors.length]!),
    x: between(random, { from: 0.15, to: 0.85 }),
    y: between(random, { from: 0.34, to: 0.66 }),
    radius: between(random, { from: 12, to: 24 }) * unit,
    row: random() * 90,
    pace: between(random, { from: 7, to: 11 }),
  }));

  return (context: SKRSContext2D, camera: Camera, second: number): void => {
    for (const { wing, x, y, radius, row, pace } of butterflies) {
      const along = second * 0.32 * brief.pace;
      const left = (x + noise.at(along, row) * 0.16) * size.width + camera.x(0.5);
      const top =
        (y + noise.at(along, row + 40) * 0.12 + Math.sin(second * pace) * 0.004) * size.height;
      const open = 0.25 + 0.75 * Math.abs(Math.sin(second * pace));
      context.save();
      context.translate(left, top);
      context.rotate(noise.at(along, row + 80) * 0.7);
      for (const side of [-1, 1]) {
        context.save();
        context.scale(side * open, 1);
        context.drawImage(wing, 0, -radius, radius * 1.4, radius * 2);
        context.restore();
      }
      context.fillStyle = 'rgba(30,22,26,.9)';
      context.fillRect(-radius * 0.06, -radius * 0.5, radius * 0.12, radius);
      context.restore();
    }
  };
}

function wingOf(color: Color): Canvas {
  const canvas = createCanvas(70, 100);
  const context = canvas.getContext('2d');
  const fill = context.createLinearGradient(0, 40, 66, 10);
  fill.addColorStop(0, css(mix(color, white, 0.3)));
  fill.addColorStop(0.75, css(color));
  fill.addColorStop(1, css(mix(color, [30, 20, 24], 0.75)));
  fillPath(
    context,
    fill,
    'M0 50C20 4 62 2 66 20C68 42 34 54 0 52M0 52C34 54 54 62 48 80C40 98 14 92 0 56',
  );
  return canvas;
}
