/** Measures and draws any text in the fonts that have its characters, all of one weight. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { cover } from './coverage.ts';
import { fontWeight } from './font-files.ts';

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

/**
 * For texts of these characters; others show as empty boxes. `tracking` is the letter spacing in
 * ems; the default depends on the script.
 */
export function typefaceFor(text: string, options: { readonly tracking?: number } = {}): Typeface {
  const { tracking = tightened.test(text) ? tightening : 0 } = options;
  const families = cover(text)
    .families.map((family) => `"${family}"`)
    .join(', ');
  const ruler = createCanvas(8, 8).getContext('2d');

  function setFont(context: SKRSContext2D, pixels: number): void {
    // Each family has one weight; above 400 the canvas would embolden it.
    context.font = `400 ${pixels}px ${families}`;
    context.fontVariationSettings = `"wght" ${fontWeight}`;
    context.letterSpacing = `${tracking * pixels}px`;
  }

  return {
    extentOf(line) {
      setFont(ruler, measuredPixels);
      const metrics = ruler.measureText(line);
      return {
        width: metrics.width / measuredPixels,
        ascent: Math.max(0, metrics.actualBoundingBoxAscent / measuredPixels),
        descent: Math.max(0, metrics.actualBoundingBoxDescent / measuredPixels),
      };
    },
    draw(context, line, { x, baseline, pixels, rightToLeft = false }) {
      context.direction = rightToLeft ? 'rtl' : 'ltr';
      context.textAlign = rightToLeft ? 'right' : 'left';
      setFont(context, pixels);
      context.fillText(line, x, baseline);
    },
  };
}

/** A Han character counts as two letters. */
export function isMostlyHan(text: string): boolean {
  const han = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu) ?? [];
  const others = text.match(/\p{L}/gu) ?? [];
  return han.length * 3 > others.length;
}
