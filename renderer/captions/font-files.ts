/**
 * The fonts we carry, as npm packages: Inter for Latin, Greek and Cyrillic, Noto for other scripts.
 * A package has a file for each part of Unicode; only the files that a text needs are opened.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GlobalFonts } from '@napi-rs/canvas';
import { coloredEmoji, emoji, readEmojiFont } from './emoji-font.ts';

export type Weight = 500 | 600;

/** One file; the canvas knows it by its family once it is registered. */
export type FontFile = { readonly family: string; register(): void };

export type Source = {
  /** The files that say they have these characters. They may be wrong: look at the glyph. */
  filesFor(characters: Iterable<string>, weight: Weight): Map<FontFile, string[]>;
};

type Package = {
  readonly name: string;
  /** Of a variable font, one file has every weight. */
  readonly isVariable?: boolean;
  /** The only part to use of a package that has Latin too, in another style than Inter's. */
  readonly part?: string;
};

const inter = sourceOf({ name: '@fontsource/inter' });

const scripts: readonly (readonly [sign: RegExp, Source])[] = [
  [/\p{Script=Arabic}/u, ofScript('arabic')],
  [/\p{Script=Hebrew}/u, ofScript('hebrew')],
  [/\p{Script=Devanagari}/u, ofScript('devanagari')],
  [/\p{Script=Bengali}/u, ofScript('bengali')],
  [/\p{Script=Tamil}/u, ofScript('tamil')],
  [/\p{Script=Thai}/u, ofScript('thai')],
];

const chinese = sourceOf({ name: '@fontsource-variable/noto-sans-sc', isVariable: true });
const japanese = sourceOf({ name: '@fontsource-variable/noto-sans-jp', isVariable: true });
const korean = sourceOf({ name: '@fontsource-variable/noto-sans-kr', isVariable: true });

const emojiFile: FontFile = {
  family: 'noto-color-emoji',
  register: () => void GlobalFonts.register(readEmojiFont(), 'noto-color-emoji'),
};
const emojis: Source = {
  filesFor(characters) {
    const own = [...characters].filter((character) => emoji.test(character));
    return new Map(own.length === 0 ? [] : [[emojiFile, own]]);
  },
};

/** Where to look for the characters of a text, in order. */
export function sourcesFor(text: string): readonly Source[] {
  const ofText = scripts.filter(([sign]) => sign.test(text)).map(([, source]) => source);
  // A heart or a star alone is a sign of the text; with emoji beside it, it is one of them.
  return coloredEmoji.test(text)
    ? [inter, ...ofText, emojis, ...hanSourcesFor(text)]
    : [inter, ...ofText, ...hanSourcesFor(text), emojis];
}

/** Han characters differ by region: kana mean Japan and Hangul means Korea; else it is China. */
export function hanSourcesFor(text: string): readonly Source[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return [japanese, chinese, korean];
  if (/\p{Script=Hangul}/u.test(text)) return [korean, chinese, japanese];
  return [chinese, japanese, korean];
}

function ofScript(script: string): Source {
  return sourceOf({ name: `@fontsource/noto-sans-${script}`, part: script });
}

function sourceOf({ name, part, isVariable = false }: Package): Source {
  const files = new Map<string, FontFile>();
  let opened: Opened | null = null;

  function fileOf(
    subset: string,
    { folder, weight }: { folder: string; weight: Weight },
  ): FontFile {
    const family = `${name.split('/')[1]}-${subset}-${isVariable ? 'wght' : weight}`;
    const known = files.get(family);
    if (known) return known;
    const path = join(folder, 'files', `${family}-normal.woff2`);
    const file = { family, register: () => void GlobalFonts.registerFromPath(path, family) };
    files.set(family, file);
    return file;
  }

  return {
    filesFor(characters, weight) {
      opened ??= open(name, part);
      const { folder, subsets } = opened;
      const claims = new Map<FontFile, string[]>();
      for (const [subset, ranges] of subsets) {
        const own = [...characters].filter((each) => isWithin(ranges, each.codePointAt(0)!));
        if (own.length > 0) claims.set(fileOf(subset, { folder, weight }), own);
      }
      return claims;
    },
  };
}

type Opened = {
  readonly folder: string;
  readonly subsets: readonly (readonly [name: string, Ranges])[];
};

/** First and last code point of each range, one after the other. */
type Ranges = readonly number[];

/** A package tells in its `unicode.json` which characters each of its files should have. */
function open(name: string, part: string | undefined): Opened {
  const folder = dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
  const json = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8'));
  const subsets = Object.entries(json as Record<string, string>)
    // `"[119]": "U+20-22,U+27"` is about the file with 119 in its name.
    .map(([key, ranges]) => [key.replace(/[[\]]/g, ''), ranges] as const)
    .filter(([subset]) => part === undefined || subset === part)
    .map(([subset, ranges]) => [subset, rangesOf(ranges)] as const);
  return { folder, subsets };
}

const rangesOf = (text: string): Ranges =>
  text.split(',').flatMap((range) => {
    const [first, last = first] = range.slice(2).split('-');
    return [Number.parseInt(first!, 16), Number.parseInt(last!, 16)];
  });

function isWithin(ranges: Ranges, code: number): boolean {
  for (let at = 0; at < ranges.length; at += 2) {
    if (code >= ranges[at]! && code <= ranges[at + 1]!) return true;
  }
  return false;
}
