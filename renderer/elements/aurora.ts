/** Northern lights: curtains that fold and wander, green at the bottom and violet at the top. */
import { createCanvas } from '@napi-rs/canvas';
import { type Color, mix } from '../color.ts';
import { clamp, smooth } from '../motion.ts';
import type { DrawAt, SceneContext } from '../scenes/scene.ts';

/** Computed on a small grid for every frame and enlarged, since the lights are soft. */
const [columns, rows] = [150, 56];
const curtains = 3;
const foot: Color = [70, 255, 150];
const crown: Color = [150, 70, 255];

export function createAurora(
  scene: SceneContext,
  { horizon }: { readonly horizon: number },
): DrawAt {
  const { size, noise, random, camera } = scene;
  const small = createCanvas(columns, rows).getContext('2d');
  const image = small.createImageData(columns, rows);
  const light = new Float32Array(columns * rows);
  const phase = random() * 50;
  const margin = camera.margin(0);
  const pace = Math.min(1.5, scene.brief.pace);
  const colors = Array.from({ length: rows }, (_, row) => mix(crown, foot, (row / rows) ** 0.7));

  function cast(second: number): void {
    light.fill(0);
    for (let curtain = 0; curtain < curtains; curtain += 1) {
      for (let column = 0; column < columns; column += 1) {
        const x = column / columns;
        const fold = noise.rough(x * 2.1 + phase + curtain * 9, second * 0.07 + curtain * 5, 2);
        const base = (0.86 - curtain * 0.17 + fold * 0.34) * rows;
        const ray = noise.at(x * 26 + fold * 16 + curtain * 31, second * 0.5 + phase);
        const patch = noise.at(x * 2.6 - second * 0.06 + curtain * 7, second * 0.11 + phase);
        const strength = clamp(0.5 + patch * 1.1) * (0.66 + ray * 0.5) * (1 - curtain * 0.22);
        const tall = rows * (0.5 + 0.22 * ray + 0.2 * patch);
        if (strength > 0.02) raise(column, { base, tall, strength });
      }
    }
  }

  function raise(
    column: number,
    { base, tall, strength }: { base: number; tall: number; strength: number },
  ): void {
    const from = Math.max(0, Math.floor(base - tall));
    const to = Math.min(rows - 1, Math.ceil(base + 3));
    for (let row = from; row <= to; row += 1) {
      const up = (base - row) / tall;
      const shape = up < 0 ? smooth(up * tall, { from: -3, to: 0 }) : clamp(1 - up) ** 2.2;
      light[row * columns + column]! += shape * strength;
    }
  }

  return (context, second) => {
    cast(second * pace);
    for (let row = 0, at = 0; row < rows; row += 1) {
      const color = colors[row]!;
      for (let column = 0; column < columns; column += 1, at += 1) {
        image.data[at * 4] = color[0];
        image.data[at * 4 + 1] = color[1];
        image.data[at * 4 + 2] = color[2];
        image.data[at * 4 + 3] = Math.min(1, light[at]! * 0.85) * 255;
      }
    }
    small.putImageData(image, 0, 0);
    context.globalCompositeOperation = 'screen';
    // Enlarging fades the border, so one cell on each side is left out.
    context.drawImage(
      ...([small.canvas, 1, 1, columns - 2, rows - 2] as const),
      ...([-margin.x, -margin.y, size.width + margin.x * 2] as const),
      size.height * horizon * 0.96 + margin.y,
    );
    context.globalCompositeOperation = 'source-over';
  };
}
