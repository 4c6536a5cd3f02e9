/**
 * The words on the picture: the prompt at the foot, the PREVIEW label, the watermark when asked.
 * Everything is set once into small pictures; a frame only lays them on.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css } from './colour.ts';
import { fontOf, withoutMissing } from './fonts.ts';
import { settle, smooth } from './motion.ts';
import type { Size } from './size.ts';

export type Caption = {
  /** Where the words begin, so that other things can keep clear of them. */
  readonly top: number;
  /** `presence` from 0 (hidden) to 1 holds for all but the watermark. */
  draw(
    context: SKRSContext2D,
    moment: { readonly second: number; readonly presence: number },
  ): void;
};

export type CaptionOptions = {
  readonly size: Size;
  readonly prompt: string;
  readonly accent: Colour;
  readonly watermark: boolean;
  readonly unit: number;
};

const linesMax = 3;
/** More than three lines can ever hold, so that a prompt of 10,000 characters costs nothing. */
const charactersMax = 400;
const rightToLeft = /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

export function createCaption(options: CaptionOptions): Caption {
  const { size, unit } = options;
  const { width, height } = size;
  const portrait = height > width;
  const margin = Math.round(width * (portrait ? 0.07 : 0.05));
  const text = captionText(options.prompt);
  const { lines, pixels } = setLines(text, { width: width * (portrait ? 0.86 : 0.62), unit });
  const lineHeight = Math.round(pixels * 1.24);
  const top = Math.round(height - margin * 0.9 - lines.length * lineHeight);
  const alignRight = rightToLeft.test(text);
  const pictures = lines.map((line) => linePicture(line));
  const scrimTop = Math.max(0, Math.round(top - height * 0.16));
  const scrim = scrimPicture({ width, height: height - scrimTop });
  const label = labelPicture({ margin, unit });
  const mark = options.watermark ? watermarkPicture(unit) : null;

  function linePicture(line: string): Canvas {
    const canvas = createCanvas(width, lineHeight * 2);
    const context = canvas.getContext('2d');
    context.font = fontOf(600, pixels);
    context.direction = alignRight ? 'rtl' : 'ltr';
    context.textAlign = alignRight ? 'right' : 'left';
    context.shadowColor = 'rgba(0,0,0,.45)';
    context.shadowBlur = 10 * unit;
    context.fillStyle = '#fff';
    context.fillText(line, alignRight ? width - margin : margin, lineHeight);
    return canvas;
  }

  function drawWords(context: SKRSContext2D, second: number, presence: number): void {
    if (lines.length === 0) return;
    context.globalAlpha = presence * smooth(second, { from: 0.2, to: 1 });
    context.drawImage(scrim, 0, scrimTop);
    const stroke = settle((second - 0.3) / 0.9) * pixels * 1.7;
    context.globalAlpha = presence;
    context.fillStyle = css(options.accent, 0.95);
    const strokeX = alignRight ? width - margin - stroke : margin;
    context.fillRect(strokeX, top - pixels * 0.5, stroke, Math.max(2, 3 * unit));
    pictures.forEach((picture, index) => {
      const shown = settle((second - 0.4 - index * 0.18) / 0.7);
      context.globalAlpha = presence * shown;
      const rise = (1 - shown) * pixels * 0.4;
      context.drawImage(picture, 0, top + index * lineHeight - pixels * 0.2 + rise);
    });
    context.globalAlpha = 1;
  }

  return {
    top: lines.length === 0 ? height - margin : top - pixels,
    draw(context, { second, presence }) {
      if (presence > 0) {
        drawWords(context, second, presence);
        context.globalAlpha = 0.72 * presence;
        context.drawImage(label, 0, 0);
        context.globalAlpha = 1;
      }
      if (!mark) return;
      context.globalAlpha = 0.85;
      context.drawImage(mark, width - margin - mark.width, Math.round(margin * 0.7));
      context.globalAlpha = 1;
    },
  };
}

/** One line of what can be shown; nothing when most of it cannot. */
function captionText(prompt: string): string {
  // Half a character at the cut, controls, and marks that turn the direction of what follows.
  const text = prompt
    .slice(0, charactersMax)
    .replace(/[\p{Cc}\p{Cn}\p{Co}\p{Cs}\u202a-\u202e\u2066-\u2069\s]+/gu, ' ')
    .trim();
  const shown = withoutMissing(text);
  return shown.length * 2 < text.length ? '' : shown;
}

/** The largest size at which the text fits two lines, down to a readable one; then it is cut. */
function setLines(text: string, options: { readonly width: number; readonly unit: number }) {
  const context = createCanvas(8, 8).getContext('2d');
  const fitting = (width: number) => (line: string) => context.measureText(line).width <= width;
  let pixels = 40 * options.unit;
  let lines: readonly string[] = [];
  for (; pixels >= 25 * options.unit; pixels *= 0.93) {
    context.font = fontOf(600, Math.round(pixels));
    lines = breakLines(text, fitting(options.width));
    if (lines.length <= 2) break;
  }
  if (lines.length > linesMax) {
    const fits = fitting(options.width);
    let last = lines[linesMax - 1]!;
    while (last.length > 1 && !fits(`${last}…`)) last = last.slice(0, -1);
    lines = [...lines.slice(0, linesMax - 1), `${last.replace(/[\s,.;:\p{Cs}]+$/u, '')}…`];
  } else {
    lines = balanced(lines, (width) => breakLines(text, fitting(width)), options.width);
  }
  return { lines, pixels: Math.round(pixels) };
}

/** The same number of lines, about equally long: a last line of one word looks forgotten. */
function balanced(
  lines: readonly string[],
  breakAt: (width: number) => string[],
  width: number,
): readonly string[] {
  for (let share = 0.94; share > 0.4; share -= 0.06) {
    const narrower = breakAt(width * share);
    if (narrower.length > lines.length) break;
    lines = narrower;
  }
  return lines;
}

/** Greedy, at spaces; between any two characters where there are none, as Chinese is set. */
function breakLines(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((each) => each !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const { segment } of new Intl.Segmenter().segment(word)) {
      if (line !== '' && !fits(line + segment)) {
        lines.push(line);
        line = '';
      }
      line += segment;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

function scrimPicture(size: Size): Canvas {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  const gradient = context.createLinearGradient(0, 0, 0, size.height);
  gradient.addColorStop(0, 'rgba(0,0,0,0)');
  gradient.addColorStop(0.5, 'rgba(0,0,0,.26)');
  gradient.addColorStop(1, 'rgba(0,0,0,.58)');
  context.fillStyle = gradient;
  context.fillRect(0, 0, size.width, size.height);
  return canvas;
}

function labelPicture(options: { readonly margin: number; readonly unit: number }): Canvas {
  const pixels = Math.max(9, Math.round(14 * options.unit));
  const canvas = createCanvas(options.margin + pixels * 9, options.margin + pixels * 2);
  const context = canvas.getContext('2d');
  context.font = fontOf(500, pixels);
  context.letterSpacing = `${pixels * 0.16}px`;
  context.shadowColor = 'rgba(0,0,0,.5)';
  context.shadowBlur = 5 * options.unit;
  context.fillStyle = '#fff';
  context.fillText('PREVIEW', options.margin, Math.round(options.margin * 0.75) + pixels);
  return canvas;
}

/** The mark a request with `watermark` asks for: a play sign in a ring, and the name. */
function watermarkPicture(unit: number): Canvas {
  const pixels = Math.max(13, Math.round(21 * unit));
  const canvas = createCanvas(Math.ceil(pixels * 4.9), Math.ceil(pixels * 1.6));
  const context = canvas.getContext('2d');
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
  context.font = fontOf(600, pixels);
  context.textBaseline = 'middle';
  context.fillText('vidgen', pixels * 1.35, y + pixels * 0.03);
  return canvas;
}
