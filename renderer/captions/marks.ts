/** The PREVIEW label and the optional watermark. */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { typefaceFor } from './typeface.ts';

/** A small canvas, and the position of its upper left corner. */
export type Mark = { readonly picture: Canvas; readonly x: number; readonly y: number };

type MarkOptions = { readonly margin: number; readonly unit: number };

export function labelMark({ margin, unit }: MarkOptions): Mark {
  const pixels = Math.max(10, Math.round(15 * unit));
  const picture = createCanvas(pixels * 9, pixels * 3);
  const context = picture.getContext('2d');
  // Dark enough to be readable on white.
  context.shadowColor = 'rgba(0,0,0,.85)';
  context.shadowBlur = 6 * unit;
  context.fillStyle = '#fff';
  const typeface = typefaceFor('PREVIEW', { weight: 500, tracking: 0.16 });
  typeface.draw(context, 'PREVIEW', { x: pixels, baseline: pixels * 2, pixels });
  return { picture, x: margin - pixels, y: Math.round(margin * 0.75) - pixels };
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
  typefaceFor('vidgen', { weight: 600 }).draw(context, 'vidgen', {
    x: pixels * 1.35,
    baseline,
    pixels,
  });
  return { picture, x: width - margin - picture.width, y: Math.round(margin * 0.7) };
}
