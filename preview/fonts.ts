/**
 * Inter, from its npm package, so that a machine without any font still sets a good line. Every
 * script is a font file of its own; together they are one list of families for the canvas.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCanvas, GlobalFonts } from '@napi-rs/canvas';

const folder = join(
  dirname(fileURLToPath(import.meta.resolve('@fontsource/inter/package.json'))),
  'files',
);
const scripts = [
  'latin',
  'latin-ext',
  'cyrillic',
  'cyrillic-ext',
  'greek',
  'greek-ext',
  'vietnamese',
] as const;
const weights = [500, 600] as const;
export type Weight = (typeof weights)[number];

const familyOf = (weight: Weight, script: string): string => `Inter ${weight} ${script}`;

for (const weight of weights) {
  for (const script of scripts) {
    const file = join(folder, `inter-${script}-${weight}-normal.woff2`);
    GlobalFonts.registerFromPath(file, familyOf(weight, script));
  }
}

/** What this machine has for the scripts Inter lacks; the canvas finds them only when named. */
const fallbacks = GlobalFonts.families
  .map(({ family }) => family)
  .filter((family) => !family.startsWith('Inter ') && !/mono|serif|math|symbol/i.test(family))
  .filter((family) => /sans|emoji|arial|segoe|pingfang|hiragino|gothic|yahei|tahoma/i.test(family))
  .slice(0, 30);

/** For a canvas context's `font`. */
export function fontOf(weight: Weight, pixels: number): string {
  const own = scripts.map((script) => familyOf(weight, script));
  const families = [...own, ...fallbacks].map((family) => `"${family}"`);
  return `${weight} ${pixels}px ${families.join(', ')}, sans-serif`;
}

/** Latin, Greek and Cyrillic letters and the usual punctuation: Inter has them all. */
const surelyShown = /^[\u0020-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff\u2010-\u2027]+$/u;

/**
 * The text without the characters that no font here can draw, which would show as empty boxes.
 * A character is missing when its picture is that of a code point that never has one.
 */
export function withoutMissing(text: string): string {
  if (surelyShown.test(text)) return text;
  const canvas = createCanvas(24, 24);
  const context = canvas.getContext('2d');
  context.font = fontOf(500, 16);
  const pictureOf = (character: string): Buffer => {
    context.clearRect(0, 0, 24, 24);
    context.fillText(character, 2, 18);
    return Buffer.from(canvas.data());
  };
  const missing = pictureOf('\u{10ffff}');
  const known = new Map<string, boolean>();
  const isShown = (grapheme: string): boolean => {
    const first = String.fromCodePoint(grapheme.codePointAt(0) ?? 0);
    const shown =
      known.get(first) ?? (surelyShown.test(first) || !pictureOf(first).equals(missing));
    known.set(first, shown);
    return shown;
  };
  const graphemes = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  return graphemes.filter(isShown).join('').replace(/\s+/g, ' ').trim();
}
