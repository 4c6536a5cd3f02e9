/**
 * Measures and draws any text in the bundled fonts that have its characters. System fonts are not
 * used, so that a text looks the same on every machine.
 */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type FontFile, type FontSource, fontWeight, sourcesFor } from './font-files.ts';

type Coverage = {
  readonly families: readonly string[];
  readonly missing: ReadonlySet<string>;
};

/** Spaces, joiners and selectors, which are not drawn. */
const unseen = /[\s\p{Default_Ignorable_Code_Point}]/u;

export function cover(text: string): Coverage {
  // The space makes Inter come first.
  const open = new Set([' ', ...[...text].filter((character) => !unseen.test(character))]);
  const families: string[] = [];
  for (const source of sourcesFor(text)) {
    if (open.size > 0) families.push(...takeFrom(source, open));
  }
  return { families, missing: open };
}

/**
 * Removes characters that no font can draw, which would show as empty boxes. A styled letter, such
 * as a mathematical one, is replaced by its plain form first.
 */
export function withoutMissing(text: string): string {
  const { missing } = cover(text);
  if (missing.size === 0) return text;
  const plain = [...text].map((each) => (missing.has(each) ? plainOf(each) : each)).join('');
  const lost = cover(plain).missing;
  return [...new Intl.Segmenter('en').segment(plain)]
    .map(({ segment }) => segment)
    .filter((grapheme) => ![...grapheme].some((character) => lost.has(character)))
    .join('')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function plainOf(character: string): string {
  const plain = character.normalize('NFKC');
  return cover(plain).missing.size === 0 ? plain : character;
}

/** Returns the families that have some characters of `open`, and removes those from `open`. */
function takeFrom(source: FontSource, open: Set<string>): string[] {
  const families: string[] = [];
  for (const [file, claimed] of source.filesFor(open)) {
    if (take(open, claimed, load(file))) families.push(file.family);
  }
  return families;
}

function take(open: Set<string>, characters: readonly string[], family: string): boolean {
  const own = characters.filter((each) => open.has(each) && isDrawn(each, family));
  for (const character of own) open.delete(character);
  return own.length > 0;
}

const loaded = new Set<FontFile>();

function load(file: FontFile): string {
  if (!loaded.has(file)) file.register();
  loaded.add(file);
  return file.family;
}

const probe = createCanvas(20, 20);
const cache = new Map<string, boolean>();

/** A character is missing if it looks like a code point that never has a glyph. */
function isDrawn(character: string, family: string): boolean {
  const key = `${character}${family}`;
  const drawn =
    cache.get(key) ?? !pixelsOf(character, family).equals(pixelsOf('\u{10ffff}', family));
  cache.set(key, drawn);
  return drawn;
}

function pixelsOf(character: string, family: string): Buffer {
  const context = probe.getContext('2d');
  context.clearRect(0, 0, probe.width, probe.height);
  context.font = `400 12px "${family}"`;
  context.fillText(character, 2, 14);
  return Buffer.from(probe.data());
}

type TextPosition = {
  /** The left end of the line, or the right end of right-to-left text. */
  readonly x: number;
  readonly baseline: number;
  readonly pixels: number;
  readonly rightToLeft?: boolean;
};

const measuredPixels = 100;
/** Letter spacing for headlines in ems; other scripts connect letters or fill squares. */
const tightening = -0.011;
const tightened = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}\p{M}]*$/u;

/**
 * For texts of these characters; others show as empty boxes. `tracking` is the letter spacing in
 * ems; the default depends on the script.
 */
export function typefaceFor(text: string, options: { readonly tracking?: number } = {}) {
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
    /** In ems: multiplied by the font size they are pixels. */
    extentOf(line: string) {
      setFont(ruler, measuredPixels);
      const metrics = ruler.measureText(line);
      return {
        width: metrics.width / measuredPixels,
        ascent: Math.max(0, metrics.actualBoundingBoxAscent / measuredPixels),
        descent: Math.max(0, metrics.actualBoundingBoxDescent / measuredPixels),
      };
    },
    /** Uses the fill and shadow of the context. */
    draw(
      context: SKRSContext2D,
      line: string,
      { x, baseline, pixels, rightToLeft = false }: TextPosition,
    ): void {
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
