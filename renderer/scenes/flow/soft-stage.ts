/**
 * A background of slow colors with glowing light. Both are drawn at a fraction of their size and
 * enlarged, since they are soft.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { colorTable, css, mix } from '../../color.ts';
import { paintSoft } from '../../elements/paint.ts';
import { clamp } from '../../motion.ts';
import { addLight, type SceneContext } from '../scene.ts';

type SoftStage = {
  /** Covers the frame. `glow` draws light in coordinates of the frame, which appears blurred. */
  draw(target: SKRSContext2D, second: number, glow: (context: SKRSContext2D) => void): void;
};

const coarseness = 6;

/** `depth` is the darkness of the background: 0 is bright, 1 is almost black. */
export function createSoftStage(
  scene: SceneContext,
  options: { readonly depth: number },
): SoftStage {
  const { size, unit } = scene;
  const scale = 1 / (coarseness * unit);
  const small = createCanvas(Math.ceil(size.width * scale) + 2, Math.ceil(size.height * scale) + 2);
  const context = small.getContext('2d', { alpha: false });
  const ground = paintGround(scene, options.depth);
  return {
    draw(target, second, glow) {
      context.resetTransform();
      const camera = scene.camera.at(second);
      const slide = Math.sin(second * 0.22) * 0.5 + 0.5;
      const way = (camera.x(0.2) / size.width) * small.width;
      const [wide, tall] = [ground.width, ground.height];
      const [roomX, roomY] = [wide - small.width, tall - small.height];
      const left = clamp(roomX * (0.25 + slide * 0.5) - way, 0, roomX);
      context.drawImage(ground, -left, -roomY * (0.7 - slide * 0.4));
      context.scale(scale, scale);
      context.translate(coarseness * unit, coarseness * unit);
      addLight(context, () => {
        glow(context);
      });
      // Enlarging fades the border, so it is left out.
      const [x, y] = [size.width * scale, size.height * scale];
      target.drawImage(small, 1, 1, x, y, 0, 0, size.width, size.height);
    },
  };
}

function paintGround(scene: SceneContext, depth: number): Canvas {
  const { size: frame, palette, noise, random, unit } = scene;
  const scale = 1 / (coarseness * unit);
  const columns = Math.ceil(frame.width * scale * 1.3) + 4;
  const rows = Math.ceil(frame.height * scale * 1.3) + 4;
  const [startX, startY] = [random() * 100, random() * 100];
  const stops = [
    [0, palette.shade],
    [0.34, mix(palette.high, palette.shade, 0.2)],
    [0.72, palette.middle],
    [1, mix(palette.middle, palette.low, 0.7)],
  ] as const;
  const shades = colorTable(stops);
  const short = Math.min(columns, rows);
  const size = { width: columns, height: rows };
  const canvas = paintSoft(size, { coarseness: 1, random, grain: 0 }, (column, row) => {
    const [x, y] = [(column / short) * 1.1 + startX, (row / short) * 1.1 + startY];
    const bendX = noise.at(x * 1.3, y * 1.3);
    const bendY = noise.at(x * 1.3 + 40, y * 1.3);
    const mass = noise.rough(x + bendX, y + bendY, 3);
    return shades[Math.round(clamp(0.5 - depth * 0.3 + mass * (1.1 - depth * 0.4)) * 255)]!;
  });
  const context = canvas.getContext('2d');
  const edge = context.createRadialGradient(
    ...([columns / 2, rows / 2, short * 0.3] as const),
    ...([columns / 2, rows / 2, Math.hypot(columns, rows) * 0.56] as const),
  );
  edge.addColorStop(0, css(palette.shade, 0));
  edge.addColorStop(1, css(palette.shade, 0.6));
  context.fillStyle = edge;
  context.fillRect(0, 0, columns, rows);
  return canvas;
}
