/** The abstract scene: silk in slow wind, whose folds are bright where they face the light. */
import { createCanvas } from '@napi-rs/canvas';
import { colorTable, mix, pixelOf, white } from '../../color.ts';
import { clamp } from '../../motion.ts';
import type { Scene, SceneContext } from '../scene.ts';

const coarseness = 5;

export function createFlow(scene: SceneContext): Scene {
  const { size, random, unit, brief } = scene;
  const step = coarseness * unit;
  const columns = Math.ceil(size.width / step) + 3;
  const rows = Math.ceil(size.height / step) + 3;
  const context = createCanvas(columns, rows).getContext('2d', { alpha: false });
  const image = context.createImageData(columns, rows);
  const words = new Uint32Array(image.data.buffer);
  const shades = shadesOf(scene);
  const short = Math.min(columns, rows);
  const turn = (random() < 0.5 ? 1 : -1) * (0.5 + random() * 0.5);
  const phases = [0, 1, 2, 3].map(() => random() * Math.PI * 2);
  const heights = new Float32Array(columns * rows);
  const pace = 0.34 * brief.pace ** 0.7;

  function raise(second: number): void {
    const camera = scene.camera.at(second);
    const scale = 2 / short / camera.scale(0.5);
    const [middleX, middleY] = [
      columns / 2 + camera.x(0.5) / step,
      rows / 2 + camera.y(0.5) / step,
    ];
    const passed = second * pace;
    for (let row = 0, at = 0; row < rows; row += 1) {
      const y = (row - middleY) * scale;
      for (let column = 0; column < columns; column += 1, at += 1) {
        const x = (column - middleX) * scale;
        const along = x * turn + y;
        const slow = Math.sin(along * 1.1 + passed * 0.9 + phases[0]!);
        const bent = Math.sin(x * 1.3 - y * 0.7 + passed * 0.7 + phases[1]! + slow * 1.2);
        const wave = Math.sin(along * 1.8 + bent * 1.3 + passed * 0.75 + phases[2]!);
        const fold = 1 - 2 * Math.sqrt(wave * wave + 0.006);
        const fine = Math.sin(along * 9.5 + bent * 4.4 + slow * 1.4 - passed * 1.1 + phases[3]!);
        heights[at] = slow * 0.4 + fold * 0.44 + fine * 0.09;
      }
    }
  }

  function light(): void {
    const last = columns * rows - columns - 1;
    for (let at = 0; at < columns * rows; at += 1) {
      const here = Math.min(at, last);
      const height = heights[here]!;
      const slope = (heights[here + 1]! - height) * 1.1 + (heights[here + columns]! - height) * 0.9;
      // Keeps even the steepest slopes from becoming black or white.
      const steep = slope * short * 0.3;
      const facing = 0.42 + (0.58 * steep) / (1 + Math.abs(steep)) + height * 0.1;
      words[at] = shades[Math.round(clamp(facing) * 255)]!;
    }
    context.putImageData(image, 0, 0);
  }

  return (target, second) => {
    raise(second);
    light();
    // Enlarging fades the border, so one point on each side is left out.
    const [wide, tall] = [size.width / step, size.height / step];
    target.drawImage(context.canvas, 1, 1, wide, tall, 0, 0, size.width, size.height);
  };
}

function shadesOf({ palette }: SceneContext): Uint32Array {
  const stops = [
    [0, mix(palette.shade, palette.high, 0.35)],
    [0.26, palette.high],
    [0.48, palette.middle],
    [0.68, palette.low],
    [0.86, mix(palette.low, palette.horizon, 0.7)],
    [0.96, palette.horizon],
    [1, mix(palette.light, white, 0.2)],
  ] as const;
  return Uint32Array.from(colorTable(stops), pixelOf);
}
