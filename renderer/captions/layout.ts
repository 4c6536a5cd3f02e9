/**
 * Where each word of a caption stands on a frame of any shape: lines at the foot, read from the
 * left or from the right, and a stroke above them.
 */
import { smooth } from '../motion.ts';
import type { Size } from '../size.ts';
import { type Line, type Room, type Step, setLines } from './lines.ts';
import { piecesOf, textOf } from './pieces.ts';
import { beginningOf, isOneWay, isRightToLeft } from './text.ts';
import { isMostlyHan, type Typeface, typefaceFor } from './typeface.ts';

/** What comes in as one: a word, a phrase, or a line whose words do not stand in reading order. */
export type Word = {
  readonly text: string;
  /** Its left end, wherever it is read from. */
  readonly x: number;
  readonly baseline: number;
  readonly width: number;
  readonly ascent: number;
  readonly descent: number;
};

export type Layout = {
  readonly face: Typeface;
  readonly pixels: number;
  readonly rightToLeft: boolean;
  readonly margin: number;
  /** In the order in which they are read. */
  readonly words: readonly Word[];
  readonly stroke: Size & { readonly x: number; readonly y: number };
  /** Where all of it begins; without words, where it would end. */
  readonly top: number;
};

type Frame = { readonly size: Size; readonly unit: number };

export function layOut(prompt: string, { size, unit }: Frame): Layout {
  const { width, height } = size;
  const { text, goesOn } = beginningOf(prompt);
  // The ellipsis may be needed.
  const face = typefaceFor(`${text}…`, { weight: 600 });
  const margin = marginOf(size);
  const rightToLeft = isRightToLeft(text);
  const pieces = piecesOf(text);
  const room = roomFor(text, { size, unit });
  const { lines, pixels } = setLines({ pieces, goesOn }, room, (one) => face.extentOf(one).width);
  const extents = lines.map((line) => face.extentOf(textOf(line)));
  const firstAscent = Math.max(0.73, extents[0]?.ascent ?? 0);
  const ascent = Math.max(firstAscent, ...extents.map((extent) => extent.ascent));
  const descent = Math.max(0.22, ...extents.map((extent) => extent.descent));
  const leading = Math.max(isMostlyHan(text) ? 1.38 : 1.24, ascent + descent + 0.12);
  const lineHeight = Math.round(pixels * leading);
  const lastBaseline = Math.round(height - margin * 0.95 - pixels * descent);
  const firstBaseline = lastBaseline - (lines.length - 1) * lineHeight;
  const strokeY = Math.round(firstBaseline - pixels * (firstAscent + 0.42) - 9 * unit);
  const strokeWidth = pixels * 1.7;
  const column = { face, pixels, rightToLeft, margin, width };
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

/** From a twentieth of a wide frame to a little more of one that is square or tall. */
function marginOf({ width, height }: Size): number {
  return Math.round(width * (0.05 + 0.02 * smooth(width / height, { from: 16 / 9, to: 1 })));
}

/** How large, and in how many lines, by the shape of the frame and the script. */
function roomFor(text: string, { size, unit }: Frame): Room {
  const { width, height } = size;
  const shape = width / height;
  // Two thirds of a wide frame are as much as an eye takes in; a tall one gives nearly all it has.
  const share = Math.min(0.86, Math.max(0.56, 0.62 + (16 / 9 - shape) * 0.26));
  const more = shape < 0.8 ? 2 : shape < 1.2 ? 1 : 0;
  const scale = unit * (isMostlyHan(text) ? 0.94 : 1);
  const step = (points: number, linesMax: number): Step => ({
    pixels: Math.round(points * scale),
    linesMax,
  });
  const steps: Step[] = [];
  for (let points = 54; points > 46; points -= 2) steps.push(step(points, 1));
  for (let points = 46; points > 34; points -= 2) steps.push(step(points, 2 + more));
  for (let points = 34; points >= 28; points -= 2) steps.push(step(points, 3 + more));
  return { width: width * share, steps, forBeginning: step(32, 3 + more) };
}

type Column = Pick<Layout, 'face' | 'pixels' | 'rightToLeft' | 'margin'> & {
  readonly width: number;
  readonly baseline: number;
};

function placed(
  line: Line,
  { face, pixels, rightToLeft, margin, width, baseline }: Column,
): Word[] {
  const whole = textOf(line);
  const space = face.extentOf('n n').width - face.extentOf('nn').width;
  let at = rightToLeft ? 0 : -hangingOf(whole, face);
  return wordsOf(line, { rightToLeft }).map(({ text, isSpaced }, index) => {
    const extent = face.extentOf(text);
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

/** Joined pieces together; all of them where some are read against the direction of the line. */
function wordsOf(
  line: Line,
  options: { readonly rightToLeft: boolean },
): { readonly text: string; readonly isSpaced: boolean }[] {
  const whole = textOf(line);
  if (!isOneWay(whole, options)) return [{ text: whole, isSpaced: false }];
  const words: { text: string; isSpaced: boolean }[] = [];
  for (const { text, isSpaced, isJoined } of line) {
    const last = words.at(-1);
    if (isJoined && last) last.text += text;
    else words.push({ text, isSpaced });
  }
  return words;
}

/** Opening marks stand outside the column: the letters of all lines begin below each other. */
function hangingOf(line: string, face: Typeface): number {
  const [mark = ''] = line.match(/^[“‘"'«„]/u) ?? [];
  // The sign fills only the right half of its square.
  if (/^[「『（《〈【〔［]/u.test(line)) return 0.46;
  return mark === '' ? 0 : face.extentOf(mark).width * 0.9;
}
