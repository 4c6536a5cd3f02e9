/**
 * Finds where a line may break, in every script: at spaces, between words of scripts without spaces
 * (by dictionary), never before a closing mark or after an opening one (kinsoku).
 */

/** Text that is never broken. A line is a sequence of segments. */
export type TextSegment = {
  readonly text: string;
  /** Whether a space precedes it, unless it starts a line. */
  readonly isSpaced: boolean;
  /** Whether it continues the word before it, so that letters may connect. */
  readonly isJoined: boolean;
};

/** Scripts without spaces between words; Korean has spaces. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}\\u3000-\\u303f\\u30fb\\u30fc\\uff01-\\uff65';
const pictographs = '\\p{Emoji_Presentation}\\p{Extended_Pictographic}\\p{Regional_Indicator}';
const breaksAnywhere = new RegExp(`[${unspaced}${pictographs}]`, 'u');
const endsUnspaced = new RegExp(
  `[${unspaced}${pictographs}][\\p{P}\\p{M}\\u200d\\ufe0f]{0,40}$`,
  'u',
);
const startsUnspaced = new RegExp(`^[\\p{Ps}\\p{Pi}]*[${unspaced}${pictographs}]`, 'u');

/** Never first in a line: closing marks, pauses, iteration marks and small kana. */
const neverFirst =
  /^[\p{Pe}\p{Pf}\p{M}"',.:;!?%°、。，．・：；？！…‥—～〜ー々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶㇰ-ㇿ％ๆฯ]/u;
/** Never last: opening marks, and signs that precede a number. */
const neverLast = /[\p{Ps}\p{Pi}"'$£¥￥€₩@#＠＃]$/u;
/** Japanese endings and particles stay with their word. */
const hiragana = /^\p{Script=Hiragana}+$/u;
const phraseMax = 9;

export function segmentsOf(text: string): TextSegment[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .flatMap((word, wordIndex) =>
      partsOf(word).map((part, index) => ({
        text: part,
        isSpaced: wordIndex > 0 && index === 0,
        isJoined: index > 0 && !breaksAnywhere.test(word),
      })),
    );
}

/** Splits a segment that is too long for a line into its characters. */
export function graphemesOf(segment: TextSegment): TextSegment[] {
  return [...new Intl.Segmenter('en').segment(segment.text)].map((grapheme, index) => ({
    text: grapheme.segment,
    isSpaced: index === 0 && segment.isSpaced,
    isJoined: index > 0 || segment.isJoined,
  }));
}

export function textOf(segments: readonly TextSegment[]): string {
  return segments
    .map(({ text, isSpaced }, at) => (at > 0 && isSpaced ? ` ${text}` : text))
    .join('');
}

function partsOf(word: string): string[] {
  // After the hyphen of `slow-motion`, but not within `x-ray`, `16-9` or `--flag`.
  if (!breaksAnywhere.test(word)) return word.split(/(?<=\p{L}{2}[-–—/])(?=\p{L}{2})/u);
  const parts: string[] = [];
  const words = new Intl.Segmenter('en', { granularity: 'word' });
  for (const { segment } of words.segment(word)) {
    const before = parts.at(-1);
    if (before !== undefined && !mayBreakBetween(before, segment))
      parts.push(parts.pop() + segment);
    else parts.push(segment);
  }
  return parts;
}

function mayBreakBetween(before: string, after: string): boolean {
  if (neverFirst.test(after) || neverLast.test(before)) return false;
  if (hiragana.test(after) && /[\p{L}\p{Pe}]$/u.test(before)) {
    return before.length + after.length > phraseMax;
  }
  // A number stays with its counter.
  if (/\p{N}$/u.test(before) && /^\p{Script=Han}/u.test(after)) return false;
  return endsUnspaced.test(before) || startsUnspaced.test(after);
}
