/**
 * Lays out the words of a caption on a frame of any shape: lines at the bottom, left-to-right or
 * right-to-left, and an accent line above them.
 */
import { smooth } from '../motion.ts';
import type { Size } from '../size.ts';
import { segmentsOf, textOf } from './line-breaks.ts';
import { type Line, setLines, type TextSpace, type TextStep } from './lines.ts';
import { excerptOf, isRightToLeft, isUnidirectional } from './text.ts';
import { isMostlyHan, type Typeface, typefaceFor } from './typeface.ts';

/** Text that appears at once: a word, a phrase, or a line with mixed text directions. */
export type PlacedWord = {
  readonly text: string;
  readonly x: number;
  readonly baseline: number;
  readonly width: number;
  readonly ascent: number;
  readonly descent: number;
};

export type CaptionLayout = {
  readonly typeface: Typeface;
  readonly pixels: number;
  readonly rightToLeft: boolean;
  readonly margin: number;
  readonly words: readonly PlacedWord[];
  readonly stroke: Size & { readonly x: number; readonly y: number };
  /** The upper edge of everything; without words, the lower margin. */
  readonly top: number;
};

type Frame = { readonly size: Size; readonly unit: number };

export function layOut(prompt: string, { size, unit }: Frame): CaptionLayout {
  const { width, height } = size;
  const { text, isTruncated } = excerptOf(prompt);
  // Includes the ellipsis, which a shortened text needs.
  const typeface = typefaceFor(`${text}…`, { weight: 600 });
  const margin = marginOf(size);
  const rightToLeft = isRightToLeft(text);
  const segments = segmentsOf(text);
  const space = spaceFor(text, { size, unit });
  const { lines, pixels } = setLines(
    { segments, isTruncated },
    space,
    (one) => typeface.extentOf(one).width,
  );
  const extents = lines.map((line) => typeface.extentOf(textOf(line)));
  const firstAscent = Math.max(0.73, extents[0]?.ascent ?? 0);
  const ascent = Math.max(firstAscent, ...extents.map((extent) => extent.ascent));
  const descent = Math.max(0.22, ...extents.map((extent) => extent.descent));
  const leading = Math.max(isMostlyHan(text) ? 1.38 : 1.24, ascent + descent + 0.12);
  const lineHeight = Math.round(pixels * leading);
  const lastBaseline = Math.round(height - margin * 0.95 - pixels * descent);
  const firstBaseline = lastBaseline - (lines.length - 1) * lineHeight;
  const strokeY = Math.round(firstBaseline - pixels * (firstAscent + 0.42) - 9 * unit);
  const strokeWidth = pixels * 1.7;
  const column = { typeface, pixels, rightToLeft, margin, width };
  return {
    ...column,
    words: lines.flatMap((line, index) =>
      placed(line, { ...column, baseline: firstBaseline + index * lineHeight }),
    ),
    stroke: {
      x: rightToLeft ? width - margin - strokeWidth : margin,
      y: strokeY,
      width: strokeWidth,
      height: Math.max(2, Math.round(3 * unit)),
    },
    top: lines.length === 0 ? height - margin : Math.round(strokeY - pixels * 0.4),
  };
}

/** A twentieth of a wide frame, and more of a square or tall one. */
function marginOf({ width, height }: Size): number {
  return Math.round(width * (0.05 + 0.02 * smooth(width / height, { from: 16 / 9, to: 1 })));
}

/** Font sizes and line counts by the shape of the frame and the script. */
function spaceFor(text: string, { size, unit }: Frame): TextSpace {
  const { width, height } = size;
  const shape = width / height;
  // Two thirds of a wide frame are easy to read; a tall frame needs nearly all its width.
  const share = Math.min(0.86, Math.max(0.56, 0.62 + (16 / 9 - shape) * 0.26));
  const more = shape < 0.8 ? 2 : shape < 1.2 ? 1 : 0;
  const scale = unit * (isMostlyHan(text) ? 0.94 : 1);
  const step = (points: number, linesMax: number): TextStep => ({
    pixels: Math.round(points * scale),
    linesMax,
  });
  const steps: TextStep[] = [];
  for (let points = 54; points > 46; points -= 2) steps.push(step(points, 1));
  for (let points = 46; points > 34; points -= 2) steps.push(step(points, 2 + more));
  for (let points = 34; points >= 28; points -= 2) steps.push(step(points, 3 + more));
  return { width: width * share, steps, forExcerpt: step(32, 3 + more) };
}

type Column = Pick<CaptionLayout, 'typeface' | 'pixels' | 'rightToLeft' | 'margin'> & {
  readonly width: number;
  readonly baseline: number;
};

function placed(
  line: Line,
  { typeface, pixels, rightToLeft, margin, width, baseline }: Column,
): PlacedWord[] {
  const space = typeface.extentOf('n n').width - typeface.extentOf('nn').width;
  let at = 0;
  return wordsOf(line, { rightToLeft }).map(({ text, isSpaced }, index) => {
    const extent = typeface.extentOf(text);
    if (index > 0 && isSpaced) at += space;
    const from = at * pixels;
    const long = extent.width * pixels;
    at += extent.width;
    return {
      ...{ text, baseline, width: long },
      x: rightToLeft ? width - margin - from - long : margin + from,
      ascent: extent.ascent * pixels,
      descent: extent.descent * pixels,
    };
  });
}

/** Joins connected segments; all of them if the line has mixed directions. */
function wordsOf(
  line: Line,
  options: { readonly rightToLeft: boolean },
): { readonly text: string; readonly isSpaced: boolean }[] {
  const whole = textOf(line);
  if (!isUnidirectional(whole, options)) return [{ text: whole, isSpaced: false }];
  const words: { text: string; isSpaced: boolean }[] = [];
  for (const { text, isSpaced, isJoined } of line) {
    const last = words.at(-1);
    if (isJoined && last) last.text += text;
    else words.push({ text, isSpaced });
  }
  return words;
}
