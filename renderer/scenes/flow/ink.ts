/** Ink in water: clouds of color that unfold into each other, light in deep dark. */
import { createCanvas } from '@napi-rs/canvas';
import { along, type Color, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { clamp } from '../../motion.ts';
import type { Scene, SceneContext } from '../scene.ts';

/** One computed point for so many pixels, at 720p: clouds are soft. */
const coarseness = 8;

export function createInk(setting: SceneContext): Scene {
  const { size, palette, noise, random, unit, brief } = setting;
  const step = coarseness * unit;
  const columns = Math.ceil(size.width / step) + 3;
  const rows = Math.ceil(size.height / step) + 3;
  const canvas = createCanvas(columns, rows);
  const context = canvas.getContext('2d', { alpha: false });
  const image = context.createImageData(columns, rows);
  const words = new Uint32Array(image.data.buffer);
  const air = createAir(setting, { horizon: 1 });
  const [startX, startY] = [random() * 100, random() * 100];
  const other = mix(palette.horizon, palette.light, 0.4);
  const first = shadesOf([palette.shade, palette.high, palette.middle, palette.low]);
  const second = shadesOf([[0, 0, 0], [0, 0, 0], mix(other, [0, 0, 0], 0.55), other]);
  const short = Math.min(columns, rows);
  const pace = brief.pace ** 0.7;

  function unfold(moment: number): void {
    const camera = setting.camera.at(moment);
    const [moveX, moveY] = [-camera.x(0.5) / size.height, -camera.y(0.5) / size.height];
    const passed = moment * pace;
    for (let row = 0, at = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1, at += 1) {
        const x = (column / short) * 1.15 + startX + moveX;
        const y = (row / short) * 1.15 + startY + moveY;
        const bendX = noise.at(x * 1.2 + passed * 0.05, y * 1.2 - passed * 0.02);
        const bendY = noise.at(x * 1.2 + 40, y * 1.2 + 17 - passed * 0.06);
        const [bentX, bentY] = [x + bendX * 0.85, y + bendY * 0.85];
        const mass = noise.rough(bentX * 1.3, bentY * 1.3 + passed * 0.03, 3);
        const thread = noise.rough(bentX * 1.9 + bendY * 0.5 + 60, bentY * 1.9 - passed * 0.04, 2);
        const under = first[Math.round(clamp(0.4 + mass * 1.15) * 255)]!;
        // The second ink lies in threads along the folds of the first.
        const over = second[Math.round(clamp(0.2 + thread * 0.9 + mass * 0.75) * 255)]!;
        words[at] = added(under, over);
      }
    }
    context.putImageData(image, 0, 0);
  }

  return {
    draw(target, moment) {
      unfold(moment);
      target.imageSmoothingQuality = 'low';
      const [wide, tall] = [size.width / step, size.height / step];
      target.drawImage(canvas, 1, 1, wide, tall, 0, 0, size.width, size.height);
      air.drawSpecks(target, moment);
    },
  };
}

const packed = ([red, green, blue]: Color): number =>
  ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;

function shadesOf(colors: readonly [Color, Color, Color, Color]): Uint32Array {
  const stops = colors.map((color, index) => [[0, 0.36, 0.7, 1][index]!, color] as const);
  return Uint32Array.from({ length: 256 }, (_, index) => packed(along(stops, index / 255)));
}

/** Both lights together, each part at most full. */
function added(one: number, other: number): number {
  const red = Math.min(255, (one & 255) + (other & 255));
  const green = Math.min(255, ((one >> 8) & 255) + ((other >> 8) & 255));
  const blue = Math.min(255, ((one >> 16) & 255) + ((other >> 16) & 255));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
