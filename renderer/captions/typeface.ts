/** Measures and draws any text in the fonts that have its characters, all of one weight. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { cover, takeFrom } from './coverage.ts';
import { type FontWeight, hanSourcesFor } from './font-files.ts';

/** In ems: multiplied by the font size they are pixels. */
type TextExtent = { readonly width: number; readonly ascent: number; readonly descent: number };

type TextPosition = {
  /** The left end of the line, or the right end of right-to-left text. */
  readonly x: number;
  readonly baseline: number;
  readonly pixels: number;
  readonly rightToLeft?: boolean;
};

export type Typeface = {
  extentOf(text: string): TextExtent;
  /** Uses the fill and shadow of the context. */
  draw(context: SKRSContext2D, text: string, position: TextPosition): void;
};

const measuredPixels = 100;
/** Letter spacing for headlines in ems; other scripts connect letters or fill squares. */
const tightening = -0.011;
const tightened = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}\p{M}]*$/u;

/** Punctuation of both Latin and Chinese, which is one em wide in Chinese text. */
const sharedMarks = /([“”‘’…—·]+)/u;

type TypefaceOptions = {
  readonly weight: FontWeight;
  /** Letter spacing in ems; the default depends on the script. */
  readonly tracking?: number;
};

/** For texts of these characters; others show as empty boxes. */
export function typefaceFor(text: string, options: TypefaceOptions): Typeface {
  const { weight, tracking = tightened.test(text) ? tightening : 0 } = options;
  const { families } = cover(text, weight);
  const marks = isMostlyHan(text) ? punctuationFamilies(text, weight) : [];
  const ruler = createCanvas(8, 8).getContext('2d');

  function setFont(context: SKRSContext2D, part: string, pixels: number): void {
    const listed = marks.length > 0 && sharedMarks.test(part) ? [...marks, ...families] : families;
    // Each family has one weight; above 400 the canvas would embolden it.
    context.font = `400 ${pixels}px ${listed.map((family) => `"${family}"`).join(', ')}`;
    context.fontVariationSettings = `"wght" ${weight}`;
    context.letterSpacing = `${tracking * pixels}px`;
  }
  const partsOf = (line: string): string[] =>
    marks.length > 0 ? line.split(sharedMarks).filter((part) => part !== '') : [line];

  return {
    extentOf(line) {
      const extent = { width: 0, ascent: 0, descent: 0 };
      for (const part of partsOf(line)) {
        setFont(ruler, part, measuredPixels);
        const metrics = ruler.measureText(part);
        extent.width += metrics.width / measuredPixels;
        extent.ascent = Math.max(extent.ascent, metrics.actualBoundingBoxAscent / measuredPixels);
        extent.descent = Math.max(
          extent.descent,
          metrics.actualBoundingBoxDescent / measuredPixels,
        );
      }
      return extent;
    },
    draw(context, line, { x, baseline, pixels, rightToLeft = false }) {
      context.direction = rightToLeft ? 'rtl' : 'ltr';
      context.textAlign = rightToLeft ? 'right' : 'left';
      let from = x;
      for (const part of partsOf(line)) {
        setFont(context, part, pixels);
        context.fillText(part, from, baseline);
        from += context.measureText(part).width;
      }
    },
  };
}

/** A Han character counts as two letters. */
export function isMostlyHan(text: string): boolean {
  const han = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu) ?? [];
  const others = text.match(/\p{L}/gu) ?? [];
  return han.length * 3 > others.length;
}

function punctuationFamilies(text: string, weight: FontWeight): string[] {
  const marks = new Set([...text].filter((character) => sharedMarks.test(character)));
  return takeFrom(hanSourcesFor(text)[0]!, marks, weight);
}
