/** Rain and fog overlays. */
import { createCanvas } from '@napi-rs/canvas';
import { wrap } from '../motion.ts';
import type { FrameOverlay, OverlayContext } from './overlay.ts';

/** Streaks at three distances, each drawn as one path. */
export function createRain({ size, unit, random }: OverlayContext): FrameOverlay {
  const { width, height } = size;
  const layers = [
    { count: 150, length: 22, line: 0.9, alpha: 0.26, speed: 1.5 },
    { count: 80, length: 44, line: 1.4, alpha: 0.3, speed: 2.2 },
    { count: 26, length: 90, line: 2.4, alpha: 0.22, speed: 3.1 },
  ].map((layer) => ({
    ...layer,
    drops: Array.from({ length: layer.count }, () => ({ x: random(), y: random() })),
  }));
  const slant = -0.14;
  return {
    draw(context, second) {
      context.save();
      context.lineCap = 'round';
      for (const { drops, length, line, alpha, speed } of layers) {
        context.strokeStyle = `rgba(214,228,240,${alpha})`;
        context.lineWidth = Math.max(1, line * unit);
        context.beginPath();
        for (const { x, y } of drops) {
          const atY = wrap(y + second * speed) * (height + length * unit * 2) - length * unit;
          const atX = wrap(x + slant * (atY / width)) * width;
          context.moveTo(atX, atY);
          context.lineTo(atX + slant * length * unit, atY + length * unit);
        }
        context.stroke();
      }
      context.restore();
    },
  };
}

/** Two wide layers that move in opposite directions, denser at the bottom. */
export function createFog({ size, random }: OverlayContext): FrameOverlay {
  const { width, height } = size;
  const layers = [0.035, -0.022].map((speed) => {
    const canvas = createCanvas(256, 72);
    const context = canvas.getContext('2d');
    for (let puff = 0; puff < 70; puff += 1) {
      const radius = 14 + random() * 30;
      const [x, y] = [random() * 256, 10 + random() * 62];
      // Repeated one width apart, so that the layer is seamless.
      for (const atX of [x, x - 256, x + 256]) {
        const glow = context.createRadialGradient(atX, y, 0, atX, y, radius);
        const alpha = 0.13 * (0.35 + (0.65 * y) / 72);
        glow.addColorStop(0, `rgba(232,238,242,${alpha})`);
        glow.addColorStop(1, 'rgba(232,238,242,0)');
        context.fillStyle = glow;
        context.fillRect(atX - radius, y - radius, radius * 2, radius * 2);
      }
    }
    return { canvas, speed };
  });
  return {
    draw(context, second) {
      for (const { canvas, speed } of layers) {
        const wide = width * 1.6;
        const left = -wrap(second * speed) * wide;
        context.drawImage(canvas, left, 0, wide, height);
        if (left + wide < width) context.drawImage(canvas, left + wide, 0, wide, height);
      }
    },
  };
}
