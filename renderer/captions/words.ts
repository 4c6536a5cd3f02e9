/** The words of a caption or a title, which appear one after the other and then stay in place. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Rect } from '../card-mount.ts';
import { type Color, css } from '../color.ts';
import { settle, smooth } from '../motion.ts';
import type { Size } from '../size.ts';
import type { CaptionLayout, PlacedWord } from './layout.ts';
import { drawMark, type Mark, panelPicture } from './marks.ts';

export type CaptionState = { readonly second: number; readonly opacity: number };

type Words = {
  /** Contains everything that is drawn at any time. */
  readonly area: Rect;
  draw(context: SKRSContext2D, now: CaptionState): void;
};

type WordsOptions = {
  readonly size: Size;
  readonly unit: number;
  readonly accent: Color;
  /** With an accent line instead of a panel. */
  readonly isTitle: boolean;
};

const firstWordAt = 0.2;
const riseSeconds = 0.5;
/** Delay between two words, and limit of the total delay. */
const stepSeconds = 0.05;
const stepsSecondsMax = 0.6;
/** How far a word rises, in ems. */
const riseEms = 0.38;

export function createWords(layout: CaptionLayout, options: WordsOptions): Words {
  const { pixels, stroke } = layout;
  const words = layout.words.map((word) => wordMark(word, layout, options.unit));
  const panel = options.isTitle ? null : panelMark(layout, options);
  const area = areaOf(panel ? [...words, panel] : words, layout, options);
  const step = Math.min(stepSeconds, stepsSecondsMax / words.length);
  const settledAt = firstWordAt + step * words.length + riseSeconds;
  const settled = createCanvas(area.width, area.height);
  const settledContext = settled.getContext('2d');
  settledContext.translate(-area.x, -area.y);
  drawMoving(settledContext, { second: settledAt, opacity: 1 });

  function drawMoving(context: SKRSContext2D, { second, opacity }: CaptionState): void {
    if (panel) drawMark(context, panel, opacity * smooth(second, { from: 0.05, to: 0.45 }));
    else drawStroke(context, { second, opacity });
    for (const [index, { picture, x, y }] of words.entries()) {
      const shown = settle((second - firstWordAt - index * step) / riseSeconds);
      if (shown === 0) break;
      context.globalAlpha = opacity * shown;
      context.drawImage(picture, x, y + (1 - shown) * pixels * riseEms);
    }
  }

  function drawStroke(context: SKRSContext2D, { second, opacity }: CaptionState): void {
    context.globalAlpha = opacity;
    const long = settle((second - 0.1) / 0.7) * stroke.width;
    const strokeX = layout.rightToLeft ? stroke.x + stroke.width - long : stroke.x;
    context.fillStyle = css(options.accent, 0.95);
    context.fillRect(strokeX, stroke.y, long, stroke.height);
  }

  return {
    area,
    draw(context, now) {
      if (now.second < settledAt) return drawMoving(context, now);
      context.globalAlpha = now.opacity;
      context.drawImage(settled, area.x, area.y);
    },
  };
}

/** From the highest mark or accent line to the lowest word before it rises, within the frame. */
function areaOf(
  marks: readonly Mark[],
  { stroke, pixels }: CaptionLayout,
  { size, isTitle }: WordsOptions,
): Rect {
  const lefts = marks.map(({ x }) => x);
  const tops = marks.map(({ y }) => y);
  const rights = marks.map(({ x, picture }) => x + picture.width);
  const bottoms = marks.map(({ y, picture }) => y + picture.height);
  const x = Math.max(0, Math.floor(Math.min(...lefts, ...(isTitle ? [stroke.x] : []))));
  const y = Math.max(0, Math.floor(Math.min(...tops, ...(isTitle ? [stroke.y] : []))));
  const right = Math.min(size.width, Math.ceil(Math.max(...rights)));
  const bottom = Math.min(size.height, Math.ceil(Math.max(...bottoms) + pixels * riseEms));
  return { x, y, width: right - x, height: bottom - y };
}

/** A panel behind all words of a caption, so that it is readable on every scene. */
function panelMark({ words, pixels }: CaptionLayout, { unit }: WordsOptions): Mark {
  const [beside, above] = [Math.round(pixels * 0.6), Math.round(pixels * 0.42)];
  const x = Math.floor(Math.min(...words.map((word) => word.x))) - beside;
  const y = Math.floor(Math.min(...words.map((word) => word.baseline))) - Math.round(pixels * 0.78);
  const right = Math.ceil(Math.max(...words.map((word) => word.x + word.width))) + beside;
  const bottom = Math.ceil(Math.max(...words.map((word) => word.baseline + word.descent)));
  const size = { width: right - x, height: bottom - y + above * 2 };
  const picture = panelPicture(size, { radius: 9 * unit, opacity: 0.5 });
  return { picture, x, y: y - above };
}

/** With a wide soft shadow for bright scenes, and a narrow one for busy scenes. */
function wordMark(
  word: PlacedWord,
  { typeface, pixels, rightToLeft }: CaptionLayout,
  unit: number,
): Mark {
  const blur = Math.min(15 * unit, pixels * 0.4);
  const padding = Math.ceil(blur + pixels * 0.1);
  const [left, top] = [
    Math.floor(word.x) - padding,
    Math.floor(word.baseline - word.ascent) - padding,
  ];
  const picture: Canvas = createCanvas(
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
  context.shadowBlur = blur;
  context.shadowOffsetX = outside;
  draw(outside);
  context.shadowBlur = 4 * unit;
  context.shadowOffsetX = 0;
  draw(0);
  return { picture, x: left, y: top };
}
