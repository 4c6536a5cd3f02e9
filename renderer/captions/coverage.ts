/**
 * Which font families a text needs, loaded when they are first needed. Only fonts we carry decide
 * how a text looks, so that it looks the same on every machine; what a machine has by itself is for
 * the characters that none of ours has, and what no font has is known.
 */
import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { type FontFile, type Source, sourcesFor, type Weight } from './font-files.ts';

export type Coverage = {
  /** In the order in which the canvas is to look for a character. */
  readonly families: readonly string[];
  readonly missing: ReadonlySet<string>;
};

/** Spaces, joiners and selectors: nothing is drawn for them. */
const unseen = /[\s\p{Default_Ignorable_Code_Point}]/u;

export function cover(text: string, weight: Weight): Coverage {
  const { families, missing } = coverWithOurs(text, weight);
  const open = new Set(missing);
  return { families: [...families, ...takeFromMachine(open)], missing: open };
}

function coverWithOurs(text: string, weight: Weight): Coverage {
  // A space, so that Inter comes first for whatever is spaced.
  const open = new Set([' ', ...[...text].filter((character) => !unseen.test(character))]);
  const families: string[] = [];
  for (const source of sourcesFor(text)) {
    if (open.size > 0) families.push(...takeFrom(source, open, weight));
  }
  return { families, missing: open };
}

/**
 * The text without the characters that no font here can draw, which would show as empty boxes. A
 * letter in fancy dress is set in plain before it is left out, or left to a font of the machine.
 */
export function withoutMissing(text: string): string {
  const { missing } = coverWithOurs(text, 600);
  if (missing.size === 0) return text;
  const plain = [...text].map((each) => (missing.has(each) ? plainOf(each) : each)).join('');
  const lost = cover(plain, 600).missing;
  return [...new Intl.Segmenter('en').segment(plain)]
    .map(({ segment }) => segment)
    .filter((grapheme) => ![...grapheme].some((character) => lost.has(character)))
    .join('')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function plainOf(character: string): string {
  const plain = character.normalize('NFKC');
  return coverWithOurs(plain, 600).missing.size === 0 ? plain : character;
}

/** The families of a source that have some of `open`, which loses what they have. */
export function takeFrom(source: Source, open: Set<string>, weight: Weight): string[] {
  const families: string[] = [];
  for (const [file, claimed] of source.filesFor(open, weight)) {
    if (take(open, claimed, load(file))) families.push(file.family);
  }
  return families;
}

/** As many as a machine with everything has; each costs a millisecond, when it comes to that. */
const familiesOfMachineMax = 250;

/** Sorted, since a machine may list its fonts in any order. */
function takeFromMachine(open: Set<string>): string[] {
  if (open.size === 0) return [];
  return GlobalFonts.families
    .map(({ family }) => family)
    .filter((family) => /sans|arial|segoe|pingfang|hiragino|gothic|yahei|tahoma/i.test(family))
    .filter((family) => !/mono|serif/i.test(family))
    .toSorted()
    .slice(0, familiesOfMachineMax)
    .filter((family) => open.size > 0 && take(open, [...open], family));
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

const glass = createCanvas(20, 20);
const known = new Map<string, boolean>();

/** A character is missing when its picture is that of a code point that never has one. */
function isDrawn(character: string, family: string): boolean {
  const key = `${character}${family}`;
  const drawn =
    known.get(key) ?? !pictureOf(character, family).equals(pictureOf('\u{10ffff}', family));
  known.set(key, drawn);
  return drawn;
}

function pictureOf(character: string, family: string): Buffer {
  const context = glass.getContext('2d');
  context.clearRect(0, 0, glass.width, glass.height);
  context.font = `400 12px "${family}"`;
  context.fillText(character, 2, 14);
  return Buffer.from(glass.data());
}
