/**
 * A typeface for any text: measures and draws it in the fonts that have its characters, all of one
 * weight. Sizes are free: a width in ems holds for every size.
 */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { cover, takeFrom } from './coverage.ts';
import { hanSourcesFor, type Weight } from './font-files.ts';

/** In ems: times a size in pixels they are pixels. */
export type Extent = { readonly width: number; readonly ascent: number; readonly descent: number };

export type Place = {
  /** The left end of the line, or its right end when it is read from there. */
  readonly x: number;
  readonly baseline: number;
  readonly pixels: number;
  readonly rightToLeft?: boolean;
};

export type Typeface = {
  extentOf(text: string): Extent;
  /** In the context's fill and shadow. */
  draw(context: SKRSContext2D, text: string, place: Place): void;
};

const measuredPixels = 100;
/** Letters made for small sizes stand wide in a headline. Other scripts join, or fill squares. */
const tightening = -0.011;
const tightened = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}\p{M}]*$/u;

/** Marks that Latin and Chinese share, and that a Chinese line sets as wide as its characters. */
const sharedMarks = /([“”‘’…—·]+)/u;

export type Style = {
  readonly weight: Weight;
  /** Room between letters, in ems. By itself, what suits the script. */
  readonly tracking?: number;
};

/** Draws texts of these characters; for others it shows empty boxes. */
export function typefaceFor(text: string, style: Style): Typeface {
  const { weight, tracking = tightened.test(text) ? tightening : 0 } = style;
  const { families } = cover(text, weight);
  const marks = isMostlyHan(text) ? familiesOfMarks(text, weight) : [];
  const ruler = createCanvas(8, 8).getContext('2d');

  function set(context: SKRSContext2D, part: string, pixels: number): void {
    const listed = marks.length > 0 && sharedMarks.test(part) ? [...marks, ...families] : families;
    // Our families are of one weight each; asked for more than 400, the canvas would embolden them.
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
        set(ruler, part, measuredPixels);
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
        set(context, part, pixels);
        context.fillText(part, from, baseline);
        from += context.measureText(part).width;
      }
    },
  };
}

/** A Han character says about as much as two letters. */
export function isMostlyHan(text: string): boolean {
  const han = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu) ?? [];
  const others = text.match(/\p{L}/gu) ?? [];
  return han.length * 3 > others.length;
}

function familiesOfMarks(text: string, weight: Weight): string[] {
  const marks = new Set([...text].filter((character) => sharedMarks.test(character)));
  return takeFrom(hanSourcesFor(text)[0]!, marks, weight);
}
