/**
 * The caption of a clip: the prompt at the bottom, which appears word by word, the PREVIEW label
 * and the watermark. All are rendered once to small canvases, and only drawn in every frame.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../color.ts';
import { settle, smooth } from '../motion.ts';
import type { Size } from '../size.ts';
import { type CaptionLayout, layOut, type PlacedWord } from './layout.ts';
import { labelMark, type Mark, watermarkMark } from './marks.ts';

type Caption = {
  readonly top: number;
  /** `opacity` is from 0 to 1; the watermark is fully visible from 0.4 on. */
  draw(context: SKRSContext2D, now: { readonly second: number; readonly opacity: number }): void;
};

export type CaptionOptions = {
  readonly size: Size;
  readonly prompt: string;
  readonly accent: Color;
  readonly watermark: boolean;
  readonly unit: number;
};

const firstWordAt = 0.45;
const riseSeconds = 0.6;
/** Delay between two words, and limit of the total delay. */
const stepSeconds = 0.075;
const stepsSecondsMax = 1.1;

export function createCaption(options: CaptionOptions): Caption {
  const { size, unit } = options;
  const layout = layOut(options.prompt, { size, unit });
  const label = labelMark({ margin: layout.margin, unit });
  const watermark = options.watermark
    ? watermarkMark({ margin: layout.margin, unit, width: size.width })
    : null;
  const words = layout.words.length === 0 ? null : createWords(layout, options);

  return {
    top: layout.top,
    draw(context, { second, opacity }) {
      if (opacity > 0) {
        words?.draw(context, { second, opacity });
        drawMark(context, label, 0.72 * opacity);
      }
      if (watermark) drawMark(context, watermark, 0.85 * Math.min(1, opacity * 2.5));
      context.globalAlpha = 1;
    },
  };
}

function drawMark(context: SKRSContext2D, { picture, x, y }: Mark, alpha: number): void {
  context.globalAlpha = alpha;
  context.drawImage(picture, x, y);
}

function createWords(
  layout: CaptionLayout,
  { size, unit, accent }: CaptionOptions,
): Pick<Caption, 'draw'> {
  const { pixels, top, stroke } = layout;
  const words = layout.words.map((word) => wordMark(word, layout, unit));
  const scrimTop = Math.max(0, Math.round(top - size.height * 0.15));
  const scrim = scrimPicture({ width: size.width, height: size.height - scrimTop });
  const step = Math.min(stepSeconds, stepsSecondsMax / words.length);
  const settledAt = firstWordAt + step * words.length + riseSeconds;
  const settled = createCanvas(scrim.width, scrim.height);
  const settledContext = settled.getContext('2d');
  settledContext.translate(0, -scrimTop);
  drawMoving(settledContext, { second: settledAt, opacity: 1 });

  function drawMoving(
    context: SKRSContext2D,
    { second, opacity }: { readonly second: number; readonly opacity: number },
  ): void {
    context.globalAlpha = opacity * smooth(second, { from: 0.15, to: 1 });
    context.drawImage(scrim, 0, scrimTop);
    context.globalAlpha = opacity;
    const long = settle((second - 0.3) / 0.9) * stroke.width;
    const strokeX = layout.rightToLeft ? stroke.x + stroke.width - long : stroke.x;
    context.fillStyle = css(accent, 0.95);
    context.fillRect(strokeX, stroke.y, long, stroke.height);
    for (const [index, { picture, x, y }] of words.entries()) {
      const shown = settle((second - firstWordAt - index * step) / riseSeconds);
      if (shown === 0) break;
      context.globalAlpha = opacity * shown;
      context.drawImage(picture, x, y + (1 - shown) * pixels * 0.38);
    }
  }

  return {
    draw(context, now) {
      if (now.second < settledAt) return drawMoving(context, now);
      context.globalAlpha = now.opacity;
      context.drawImage(settled, 0, scrimTop);
    },
  };
}

/** With a wide soft shadow for bright scenes, and a narrow one for busy scenes. */
function wordMark(
  word: PlacedWord,
  { typeface, pixels, rightToLeft }: CaptionLayout,
  unit: number,
): Mark {
  const padding = Math.ceil(16 * unit + pixels * 0.1);
  const [left, top] = [
    Math.floor(word.x) - padding,
    Math.floor(word.baseline - word.ascent) - padding,
  ];
  const picture = createCanvas(
    Math.ceil(word.width) + padding * 2 + 1,
    Math.ceil(word.ascent + word.descent) + padding * 2 + 1,
  );
  const context = picture.getContext('2d');
  context.fillStyle = '#fff';
  const draw = (offset: number): void => {
    const x = word.x - left + (rightToLeft ? word.width : 0) - offset;
    typeface.draw(context, word.text, { x, baseline: word.baseline - top, pixels, rightToLeft });
  };
  context.shadowColor = 'rgba(0,0,0,.4)';
  context.shadowOffsetY = unit;
  // First the wide shadow alone: its letters are drawn outside the canvas.
  const outside = picture.width * 2;
  context.shadowBlur = 15 * unit;
  context.shadowOffsetX = outside;
  draw(outside);
  context.shadowBlur = 4 * unit;
  context.shadowOffsetX = 0;
  draw(0);
  return { picture, x: left, y: top };
}

function scrimPicture({ width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const gradient = context.createLinearGradient(0, 0, 0, height);
  for (let share = 0; share <= 1; share += 0.125) {
    gradient.addColorStop(share, `rgba(0,0,0,${0.6 * smooth(share, { from: 0, to: 1.25 })})`);
  }
  context.fillStyle = gradient;
  context.fillRect(0, 0, width, height);
  return canvas;
}
