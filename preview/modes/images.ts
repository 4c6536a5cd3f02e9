/**
 * Image to video: the first frame is the first picture and, with two, the last frame is the second.
 * Between them the camera moves slowly and light passes over the scene.
 */
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import { frameOf, openImage } from '../card.ts';
import { css } from '../colour.ts';
import { clamp, smooth } from '../motion.ts';
import type { Mode, Stage } from './mode.ts';

/** How much nearer the camera comes. Little, since every picture is only as sharp as its pixels. */
const zoomBy = 0.08;

export async function createImages({ job, setting, lastSecond }: Stage): Promise<Mode> {
  const { size, palette } = setting;
  const { width, height } = size;
  const images = job.materials.filter(({ kind }) => kind === 'image');
  const first = frameOf(images[0]!, await openImage(images[0]!), { size, palette });
  const last = images[1] && frameOf(images[1], await openImage(images[1]), { size, palette });

  function drawPicture(context: SKRSContext2D, picture: Canvas, zoom: number): void {
    // At rest it is laid on pixel by pixel, so that the given frame is kept exactly.
    if (zoom === 1) return void context.drawImage(picture, 0, 0);
    const [across, down] = [width * zoom, height * zoom];
    context.drawImage(picture, (width - across) / 2, (height - down) * 0.46, across, down);
  }

  function drawLight(context: SKRSContext2D, share: number, strength: number): void {
    if (strength <= 0) return;
    const from = width * (-0.5 + 1.5 * share);
    const light = context.createLinearGradient(from, 0, from + width * 0.5, height * 0.35);
    light.addColorStop(0, css(palette.light, 0));
    light.addColorStop(0.5, css(palette.light, 0.1 * strength));
    light.addColorStop(1, css(palette.light, 0));
    context.globalCompositeOperation = 'lighter';
    context.fillStyle = light;
    context.fillRect(Math.max(0, from - height * 0.2), 0, width * 0.5 + height * 0.4, height);
    context.globalCompositeOperation = 'source-over';
  }

  return {
    draw(context, second) {
      const share = clamp(second / lastSecond);
      const eased = 0.5 * share + 0.5 * smooth(share, { from: 0, to: 1 });
      const crossed = last ? smooth(share, { from: 0.3, to: 0.72 }) : 0;
      if (crossed < 1) drawPicture(context, first, 1 + zoomBy * eased);
      if (last && crossed > 0) {
        context.globalAlpha = crossed;
        drawPicture(context, last, 1 + zoomBy * (1 - eased));
        context.globalAlpha = 1;
      }
      const leaving = last ? smooth(share, { from: 1, to: 0.85 }) : 1;
      drawLight(context, share, smooth(share, { from: 0, to: 0.15 }) * leaving);
    },
    presence: (second) => presenceOver(second, { lastSecond, endsOnPicture: last !== undefined }),
  };
}

/** How much of the words may be seen: none on a frame that was given. */
function presenceOver(second: number, options: { lastSecond: number; endsOnPicture: boolean }) {
  const { lastSecond, endsOnPicture } = options;
  const coming = smooth(second, { from: 0.05, to: 0.9 });
  return endsOnPicture
    ? coming * smooth(second, { from: lastSecond, to: lastSecond - 0.6 })
    : coming;
}
