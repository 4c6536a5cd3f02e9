/** The painted texts: caption or title, PREVIEW label and watermark. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../color.ts';
import type { Mark } from '../encode/overlay.ts';
import type { Rect, Size } from '../size.ts';
import { typefaceFor } from './coverage.ts';
import type { CaptionLayout } from './layout.ts';

type WordsOptions = {
  readonly size: Size;
  readonly unit: number;
  readonly accent: Color;
  /** With an accent line and a soft shade instead of a panel. */
  readonly isTitle: boolean;
};

export function wordsMark(layout: CaptionLayout, options: WordsOptions): PaintedMark {
  const { size, unit, isTitle } = options;
  const text = boxOf(layout);
  const pixels = layout.pixels;
  const [beside, above] = isTitle ? [pixels * 1.8, pixels * 1.2] : [pixels * 0.6, pixels * 0.42];
  const top = isTitle ? Math.min(text.y, layout.stroke.y) : text.y;
  const x = Math.max(0, Math.floor(text.x - beside));
  const y = Math.max(0, Math.floor(top - above));
  const area = {
    x,
    y,
    width: Math.min(size.width, Math.ceil(text.x + text.width + beside)) - x,
    height: Math.min(size.height, Math.ceil(text.y + text.height + above)) - y,
  };
  const context = createCanvas(area.width, area.height).getContext('2d');
  if (isTitle) paintShade(context, area);
  else context.drawImage(panelPicture(area, { radius: 9 * unit, opacity: 0.5 }), 0, 0);
  context.translate(-area.x, -area.y);
  if (isTitle) {
    const { x, y, width, height } = layout.stroke;
    context.fillStyle = css(options.accent, 0.95);
    context.fillRect(x, y, width, height);
  }
  paintLines(context, layout, unit);
  return { picture: context.canvas, x: area.x, y: area.y };
}

function boxOf({ lines }: CaptionLayout): Rect {
  const x = Math.min(...lines.map((line) => line.x));
  const y = Math.min(...lines.map(({ baseline, ascent }) => baseline - ascent));
  const right = Math.max(...lines.map((line) => line.x + line.width));
  const bottom = Math.max(...lines.map(({ baseline, descent }) => baseline + descent));
  return { x, y, width: right - x, height: bottom - y };
}

/** A dark area without edges, so that a title is readable on bright scenes. */
function paintShade(context: SKRSContext2D, { width, height }: Size): void {
  const shade = context.createRadialGradient(0.5, 0.5, 0, 0.5, 0.5, 0.5);
  for (const [share, alpha] of [0.36, 0.34, 0.26, 0.1, 0].entries()) {
    shade.addColorStop(share / 4, `rgba(8,10,14,${alpha})`);
  }
  context.save();
  context.scale(width, height);
  context.fillStyle = shade;
  context.fillRect(0, 0, 1, 1);
  context.restore();
}

/** With a wide soft shadow for bright scenes, and a narrow one for busy scenes. */
function paintLines(context: SKRSContext2D, layout: CaptionLayout, unit: number): void {
  const { typeface, pixels, rightToLeft, lines } = layout;
  context.fillStyle = '#fff';
  context.shadowColor = 'rgba(0,0,0,.4)';
  context.shadowOffsetY = unit;
  for (const blur of [Math.min(15 * unit, pixels * 0.4), 4 * unit]) {
    context.shadowBlur = blur;
    for (const { text, x, width, baseline } of lines) {
      typeface.draw(context, text, {
        x: rightToLeft ? x + width : x,
        baseline,
        pixels,
        rightToLeft,
      });
    }
  }
}

/** A small canvas, and the position of its upper left corner. */
type PaintedMark = { readonly picture: Canvas; readonly x: number; readonly y: number };

export function markOf(painted: PaintedMark): Mark {
  const [x, y] = [painted.x - (painted.x % 2), painted.y - (painted.y % 2)];
  const [left, top] = [painted.x - x, painted.y - y];
  const width = evenUp(left + painted.picture.width);
  const height = evenUp(top + painted.picture.height);
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').drawImage(painted.picture, left, top);
  return { x, y, width, height, rgba: canvas.data() };
}

const evenUp = (pixels: number): number => Math.ceil(pixels / 2) * 2;

type MarkOptions = { readonly margin: number; readonly unit: number };

/** White letters on their own dark panel: readable on white, on black and on any texture. */
export function labelMark({ margin, unit }: MarkOptions): PaintedMark {
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
function panelPicture(
  { width, height }: Size,
  { radius, opacity }: { readonly radius: number; readonly opacity: number },
): Canvas {
  const context = createCanvas(width, height).getContext('2d');
  context.beginPath();
  context.roundRect(0.5, 0.5, width - 1, height - 1, radius);
  context.fillStyle = `rgba(8,10,14,${opacity})`;
  context.fill();
  context.strokeStyle = 'rgba(255,255,255,.22)';
  context.stroke();
  return context.canvas;
}

export function watermarkMark({
  margin,
  unit,
  width,
}: MarkOptions & { readonly width: number }): PaintedMark {
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
