/**
 * The words of a prompt as they are shown: without anything that cannot be seen, turns the way of
 * what follows, or piles up; and no more of them than there could be room for.
 */
import { withoutMissing } from './coverage.ts';

/** More than the lines of a caption can ever hold: a prompt of 10,000 characters costs no more. */
const charactersMax = 400;

export type Beginning = {
  readonly text: string;
  /** Whether the prompt says more. */
  readonly goesOn: boolean;
};

/** An empty text when most of it cannot be shown: half a sentence would be worse than none. */
export function beginningOf(prompt: string): Beginning {
  const some = prompt.trimStart().slice(0, charactersMax * 4);
  const text = tidied(some);
  const begun = text.length > charactersMax ? charactersOf(text, charactersMax) : text;
  const goesOn = begun.length < text.length || prompt.trim().length > some.length;
  const shown = withoutMissing(begun);
  const isWorthIt = shown.length * 2 >= begun.length && seen.test(shown);
  return isWorthIt ? { text: shown, goesOn } : { text: '', goesOn: false };
}

function charactersOf(text: string, count: number): string {
  const characters = [...new Intl.Segmenter('en').segment(text)].slice(0, count);
  return characters.map(({ segment }) => segment).join('');
}

/** Stays in the text although it is not seen: it joins letters and emoji, or chooses their form. */
const joining = '\\u061c\\u200c-\\u200f\\ufe0e\\ufe0f\\u{e0020}-\\u{e007f}';
const seen = /[^\s\p{Default_Ignorable_Code_Point}]/u;
const hidden = new RegExp(`(?![${joining}])[\\p{Default_Ignorable_Code_Point}\\u2800]`, 'gu');

export function tidied(text: string): string {
  // Most prompts: there is nothing to look for.
  if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return text.replace(/\s+/g, ' ').trim();
  return (
    text
      .normalize('NFC')
      // Controls, half characters, marks of direction; but spaces that keep words together stay.
      .replace(/[\p{Cc}\p{Cn}\p{Co}\p{Cs}\u202a-\u202e\u2066-\u2069]|[^\S\u00a0\u202f]/gu, ' ')
      .replace(hidden, '')
      .replace(/[\u2010\u2011]/g, '-')
      .replace(/(?<=^| )[\u200c\u200d]+|[\u200c\u200d]+(?= |$)/g, '')
      // More marks on a letter than any language has.
      .replace(/(\p{M}{4})\p{M}+/gu, '$1')
      .replace(/ {2,}/g, ' ')
      .trim()
  );
}

const rightToLeftScripts =
  '\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}';
const rightToLeft = new RegExp(`[${rightToLeftScripts}]`, 'u');
const leftToRightOrNumber = new RegExp(`(?![${rightToLeftScripts}])\\p{L}|\\p{N}`, 'u');
const beginsRightToLeft = new RegExp(`^\\P{L}*[${rightToLeftScripts}]`, 'u');

/** A text is read from where its first letter says (Unicode Standard Annex 9, P2). */
export const isRightToLeft = (text: string): boolean => beginsRightToLeft.test(text);

/** Whether its words stand one after the other as they are read: no run that goes the other way. */
export function isOneWay(text: string, options: { readonly rightToLeft: boolean }): boolean {
  return !(options.rightToLeft ? leftToRightOrNumber : rightToLeft).test(text);
}
