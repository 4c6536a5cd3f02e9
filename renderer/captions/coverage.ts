/**
 * Finds the bundled font families that a text needs and loads them. System fonts are not used, so
 * that a text looks the same on every machine.
 */
import { createCanvas } from '@napi-rs/canvas';
import { type FontFile, type FontSource, sourcesFor } from './font-files.ts';

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
