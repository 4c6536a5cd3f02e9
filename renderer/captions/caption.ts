/**
 * The words on the picture: the prompt at the foot, which comes in word by word, the PREVIEW label
 * and the watermark. Everything is set once into small pictures; a frame only lays them on.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../color.ts';
import { settle, smooth } from '../motion.ts';
import type { Size } from '../size.ts';
import { type Layout, layOut, type Word } from './layout.ts';
import { labelMark, type Mark, watermarkMark } from './marks.ts';

export type Caption = {
  /** Where the words begin, so that other things can keep clear of them. */
  readonly top: number;
  /** `presence` is from 0, nothing at all, to 1; the watermark is wholly there well before. */
  draw(
    context: SKRSContext2D,
    moment: { readonly second: number; readonly presence: number },
  ): void;
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
/** From one word to the next, and from the first to the last of many. */
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
    draw(context, { second, presence }) {
      if (presence > 0) {
        words?.draw(context, { second, presence });
        drawMark(context, label, 0.72 * presence);
      }
      if (watermark) drawMark(context, watermark, 0.85 * Math.min(1, presence * 2.5));
      context.globalAlpha = 1;
    },
  };
}

function drawMark(context: SKRSContext2D, { picture, x, y }: Mark, alpha: number): void {
  context.globalAlpha = alpha;
  context.drawImage(picture, x, y);
}

function createWords(
  layout: Layout,
  { size, unit, accent }: CaptionOptions,
): Pick<Caption, 'draw'> {
  const { pixels, top, stroke } = layout;
  const words = layout.words.map((word) => wordMark(word, layout, unit));
  const scrimTop = Math.max(0, Math.round(top - size.height * 0.15));
  const scrim = scrimPicture({ width: size.width, height: size.height - scrimTop });
  const step = Math.min(stepSeconds, stepsSecondsMax / words.length);
  const restsAt = firstWordAt + step * words.length + riseSeconds;
  const atRest = createCanvas(scrim.width, scrim.height);
  const restContext = atRest.getContext('2d');
  restContext.translate(0, -scrimTop);
  drawMoving(restContext, { second: restsAt, presence: 1 });

  function drawMoving(
    context: SKRSContext2D,
    { second, presence }: { readonly second: number; readonly presence: number },
  ): void {
    context.globalAlpha = presence * smooth(second, { from: 0.15, to: 1 });
    context.drawImage(scrim, 0, scrimTop);
    context.globalAlpha = presence;
    const long = settle((second - 0.3) / 0.9) * stroke.width;
    const strokeX = layout.rightToLeft ? stroke.x + stroke.width - long : stroke.x;
    context.fillStyle = css(accent, 0.95);
    context.fillRect(strokeX, stroke.y, long, stroke.height);
    for (const [index, { picture, x, y }] of words.entries()) {
      const shown = settle((second - firstWordAt - index * step) / riseSeconds);
      if (shown === 0) break;
      context.globalAlpha = presence * shown;
      context.drawImage(picture, x, y + (1 - shown) * pixels * 0.38);
    }
  }

  return {
    draw(context, moment) {
      if (moment.second < restsAt) return drawMoving(context, moment);
      context.globalAlpha = moment.presence;
      context.drawImage(atRest, 0, scrimTop);
    },
  };
}

/** With a wide soft shadow for bright scenes, and a close one for busy ones. */
function wordMark(word: Word, { face, pixels, rightToLeft }: Layout, unit: number): Mark {
  const room = Math.ceil(16 * unit + pixels * 0.1);
  const [left, top] = [Math.floor(word.x) - room, Math.floor(word.baseline - word.ascent) - room];
  const picture = createCanvas(
    Math.ceil(word.width) + room * 2 + 1,
    Math.ceil(word.ascent + word.descent) + room * 2 + 1,
  );
  const context = picture.getContext('2d');
  context.fillStyle = '#fff';
  const draw = (aside: number): void => {
    const x = word.x - left + (rightToLeft ? word.width : 0) - aside;
    face.draw(context, word.text, { x, baseline: word.baseline - top, pixels, rightToLeft });
  };
  context.shadowColor = 'rgba(0,0,0,.4)';
  context.shadowOffsetY = unit;
  // The wide shadow alone: the letters themselves are drawn outside, and only once inside.
  const outside = picture.width * 2;
  context.shadowBlur = 15 * unit;
  context.shadowOffsetX = outside;
  draw(outside);
  context.shadowBlur = 4 * unit;
  context.shadowOffsetX = 0;
  draw(0);
  return { picture, x: left, y: top };
}

/** Darker towards the foot, with no edge where it begins. */
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
