/** The PREVIEW label, the panel of a caption and the optional watermark. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Size } from '../size.ts';
import { typefaceFor } from './typeface.ts';

/** A small canvas, and the position of its upper left corner. */
export type Mark = { readonly picture: Canvas; readonly x: number; readonly y: number };

export function drawMark(context: SKRSContext2D, { picture, x, y }: Mark, alpha: number): void {
  context.globalAlpha = alpha;
  context.drawImage(picture, x, y);
}

type MarkOptions = { readonly margin: number; readonly unit: number };

/** White letters on their own dark panel: readable on white, on black and on any texture. */
export function labelMark({ margin, unit }: MarkOptions): Mark {
  const pixels = Math.max(11, Math.round(15 * unit));
  const typeface = typefaceFor('PREVIEW', { tracking: 0.14 });
  const letters = typeface.extentOf('PREVIEW').width * pixels;
  const [padding, height] = [Math.round(pixels * 0.7), Math.round(pixels * 1.9)];
  const width = Math.ceil(letters + padding * 2 - pixels * 0.14);
  const picture = panelPicture({ width, height }, { radius: pixels * 0.45, opacity: 0.66 });
  const context = picture.getContext('2d');
  context.fillStyle = '#fff';
  typeface.draw(context, 'PREVIEW', { x: padding, baseline: Math.round(height * 0.69), pixels });
  return { picture, x: margin, y: Math.round(margin * 0.6) };
}

/** A dark rounded panel with a fine light border, which shows on black. */
export function panelPicture(
  { width, height }: Size,
  { radius, opacity }: { readonly radius: number; readonly opacity: number },
): Canvas {
  const picture = createCanvas(width, height);
  const context = picture.getContext('2d');
  context.beginPath();
  context.roundRect(0.5, 0.5, width - 1, height - 1, radius);
  context.fillStyle = `rgba(8,10,14,${opacity})`;
  context.fill();
  context.strokeStyle = 'rgba(255,255,255,.22)';
  context.stroke();
  return picture;
}

export function watermarkMark({
  margin,
  unit,
  width,
}: MarkOptions & { readonly width: number }): Mark {
  const pixels = Math.max(13, Math.round(21 * unit));
  const picture = createCanvas(Math.ceil(pixels * 4.9), Math.ceil(pixels * 1.6));
  const context = picture.getContext('2d');
  const [x, y, radius] = [pixels * 0.65, pixels * 0.8, pixels * 0.42];
  context.shadowColor = 'rgba(0,0,0,.5)';
  context.shadowBlur = 5 * unit;
  context.strokeStyle = '#fff';
  context.fillStyle = '#fff';
  context.lineWidth = Math.max(1.5, 2 * unit);
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.stroke();
  context.beginPath();
  context.moveTo(x - radius * 0.3, y - radius * 0.5);
  context.lineTo(x + radius * 0.55, y);
  context.lineTo(x - radius * 0.3, y + radius * 0.5);
  context.fill();
  const baseline = y + pixels * 0.36;
  typefaceFor('vidgen').draw(context, 'vidgen', {
    x: pixels * 1.35,
    baseline,
    pixels,
  });
  return { picture, x: width - margin - picture.width, y: Math.round(margin * 0.7) };
}
