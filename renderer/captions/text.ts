/**
 * Cleans a prompt for display: removes invisible characters, direction overrides and stacked marks,
 * and limits its length.
 */
import { withoutMissing } from './coverage.ts';

/** More than a caption can hold; limits the cost of a prompt of 10,000 characters. */
const charactersMax = 400;

/** The start of a prompt. Empty if no font here can draw most of it. */
export function excerptOf(prompt: string): {
  readonly text: string;
  readonly isTruncated: boolean;
} {
  const some = prompt.trimStart().slice(0, charactersMax * 4);
  const text = cleaned(some);
  const start = text.length > charactersMax ? charactersOf(text, charactersMax) : text;
  const isTruncated = start.length < text.length || prompt.trim().length > some.length;
  const shown = withoutMissing(start);
  const isReadable = shown.length * 2 >= start.length && visible.test(shown);
  return isReadable ? { text: shown, isTruncated } : { text: '', isTruncated: false };
}

function charactersOf(text: string, count: number): string {
  const characters = [...new Intl.Segmenter('en').segment(text)].slice(0, count);
  return characters.map(({ segment }) => segment).join('');
}

/** Invisible characters that stay: they join letters and emoji, or choose their form. */
const joining = '\\u061c\\u200c-\\u200f\\ufe0e\\ufe0f\\u{e0020}-\\u{e007f}';
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u;
const hidden = new RegExp(`(?![${joining}])[\\p{Default_Ignorable_Code_Point}\\u2800]`, 'gu');

export function cleaned(text: string): string {
  // The common case: plain ASCII.
  if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return text.replace(/\s+/g, ' ').trim();
  return (
    text
      .normalize('NFC')
      // Controls, lone surrogates and direction overrides; non-breaking spaces stay.
      .replace(/[\p{Cc}\p{Cn}\p{Co}\p{Cs}\u202a-\u202e\u2066-\u2069]|[^\S\u00a0\u202f]/gu, ' ')
      .replace(hidden, '')
      .replace(/[\u2010\u2011]/g, '-')
      .replace(/(?<=^| )[\u200c\u200d]+|[\u200c\u200d]{1,40}(?= |$)/g, '')
      // More combining marks than any language uses.
      .replace(/(\p{M}{4})\p{M}+/gu, '$1')
      .replace(/ {2,}/g, ' ')
      .trim()
  );
}

const rightToLeftScripts =
  '\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}';
const startsRightToLeft = new RegExp(`^\\P{L}*[${rightToLeftScripts}]`, 'u');

/** By its first letter (Unicode Standard Annex 9, P2). */
export const isRightToLeft = (text: string): boolean => startsRightToLeft.test(text);
