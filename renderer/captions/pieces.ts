/**
 * Where a line may end, in every script: at spaces; between the words of scripts without spaces, as
 * a dictionary finds them; never before a closing sign or after an opening one (kinsoku).
 */

/** What is never broken. A line is pieces one after the other. */
export type Piece = {
  readonly text: string;
  /** Whether a space comes before it, unless it begins a line. */
  readonly isSpaced: boolean;
  /** Whether it belongs to the same word as the one before it: letters may join. */
  readonly isJoined: boolean;
};

/** Scripts that are written without spaces. Korean has them. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}\\u3000-\\u303f\\u30fb\\u30fc\\uff01-\\uff65';
const pictographs = '\\p{Emoji_Presentation}\\p{Extended_Pictographic}\\p{Regional_Indicator}';
const breaksAnywhere = new RegExp(`[${unspaced}${pictographs}]`, 'u');
const endsUnspaced = new RegExp(`[${unspaced}${pictographs}][\\p{P}\\p{M}\\u200d\\ufe0f]*$`, 'u');
const beginsUnspaced = new RegExp(`^[\\p{Ps}\\p{Pi}]*[${unspaced}${pictographs}]`, 'u');

/** Never first in a line: what closes, pauses, prolongs or repeats, and the small kana. */
const neverFirst =
  /^[\p{Pe}\p{Pf}\p{M}"',.:;!?%°、。，．・：；？！…‥—～〜ー々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶㇰ-ㇿ％ๆฯ]/u;
/** Never last: what opens, and signs that belong to a number after them. */
const neverLast = /[\p{Ps}\p{Pi}"'$£¥￥€₩@#＠＃]$/u;
/** Endings and particles of Japanese stay with their word. */
const hiragana = /^\p{Script=Hiragana}+$/u;
const phraseMax = 9;

export function piecesOf(text: string): Piece[] {
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

/** A piece that is too long for any line, as its characters. */
export function fragmentsOf(piece: Piece): Piece[] {
  return [...new Intl.Segmenter('en').segment(piece.text)].map(({ segment }, index) => ({
    text: segment,
    isSpaced: index === 0 && piece.isSpaced,
    isJoined: index > 0 || piece.isJoined,
  }));
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text, isSpaced }, at) => (at > 0 && isSpaced ? ` ${text}` : text)).join('');
}

function partsOf(word: string): string[] {
  // After the dash of `slow-motion`, but not within `x-ray`, `16-9` or `--flag`.
  if (!breaksAnywhere.test(word)) return word.split(/(?<=\p{L}{2}[-–—/])(?=\p{L}{2})/u);
  const parts: string[] = [];
  const words = new Intl.Segmenter('en', { granularity: 'word' });
  for (const { segment } of words.segment(word)) {
    const before = parts.at(-1);
    if (before !== undefined && !mayEndAfter(before, segment)) parts.push(parts.pop() + segment);
    else parts.push(segment);
  }
  return parts;
}

function mayEndAfter(before: string, after: string): boolean {
  if (neverFirst.test(after) || neverLast.test(before)) return false;
  if (hiragana.test(after) && /[\p{L}\p{Pe}]$/u.test(before)) {
    return before.length + after.length > phraseMax;
  }
  // A number and what it counts.
  if (/\p{N}$/u.test(before) && /^\p{Script=Han}/u.test(after)) return false;
  return endsUnspaced.test(before) || beginsUnspaced.test(after);
}
