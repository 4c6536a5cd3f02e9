/**
 * Breaks a text into lines, in every script: the largest size at which it fits, lines of similar
 * length, and a shortened text if it does not fit. A line may break at spaces, between words of
 * scripts without spaces, never before a closing mark or after an opening one (kinsoku).
 */

type SegmentedText = {
  readonly segments: readonly TextSegment[];
  readonly isTruncated: boolean;
};

export type TextSpace = {
  readonly width: number;
  /** From the largest size to the smallest; the first one that fits is used. */
  readonly steps: readonly TextStep[];
  /** For a text that fits at none of them and is shortened. */
  readonly forExcerpt: TextStep;
};

export type TextStep = { readonly pixels: number; readonly linesMax: number };

export type Line = readonly TextSegment[];

type WidthOf = (text: string) => number;

/** A shortened text ends with a sentence if that keeps at least this share. */
const sentenceShareMin = 0.5;
const endsSentence = /(?<!\d)[.!?。！？।؟۔]["'”’»」』）)\]]*$/u;
const pause = /[.!?,;:。！？，、；：،؛—–]$/u;
/** A preposition or an article, which belongs to the next word. */
const shortWord = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,2}$/u;

export function setLines(
  text: SegmentedText,
  space: TextSpace,
  widthOf: WidthOf,
): { readonly lines: readonly Line[]; readonly pixels: number } {
  const measure = measureWith(widthOf);
  for (const { pixels, linesMax } of text.isTruncated ? [] : space.steps) {
    const column = { width: space.width / pixels, measure };
    const segments = breakable(text.segments, column);
    if (filled(segments, column).length <= linesMax) {
      return { lines: balanced(segments, column), pixels };
    }
  }
  const { pixels, linesMax } = space.forExcerpt;
  const column = { width: space.width / pixels, measure };
  const segments = shortened(breakable(text.segments, column), { ...column, linesMax });
  return { lines: balanced(segments, column), pixels };
}

export function oneLine(text: string, width: number, widthOf: WidthOf): string {
  if (widthOf(text) <= width) return text;
  const characters = graphemesOf({ text, isSpaced: false, isJoined: false });
  const shown = (): string => `${characters.map((character) => character.text).join('')}…`;
  while (characters.length > 1 && widthOf(shown()) > width) characters.pop();
  return shown();
}

type MeasureSegment = (segment: TextSegment, position: { readonly isFirst: boolean }) => number;

/** `width` is the maximum line width in ems. */
type Column = { readonly width: number; readonly measure: MeasureSegment };

function measureWith(widthOf: WidthOf): MeasureSegment {
  const space = widthOf('n n') - widthOf('nn');
  const known = new Map<string, number>();
  return (segment, { isFirst }) => {
    const width = known.get(segment.text) ?? widthOf(segment.text);
    known.set(segment.text, width);
    return segment.isSpaced && !isFirst ? space + width : width;
  };
}

function breakable(segments: readonly TextSegment[], { width, measure }: Column): TextSegment[] {
  return segments.flatMap((segment) =>
    measure(segment, { isFirst: true }) > width ? graphemesOf(segment) : segment,
  );
}

function filled(segments: readonly TextSegment[], { width, measure }: Column): TextSegment[][] {
  const lines: TextSegment[][] = [];
  let used = 0;
  for (const segment of segments) {
    used += measure(segment, { isFirst: false });
    if (lines.length > 0 && used <= width) {
      lines.at(-1)!.push(segment);
    } else {
      lines.push([segment]);
      used = measure(segment, { isFirst: true });
    }
  }
  return lines;
}

/** A narrow column has lines of similar length; a pause at the end of a line is better still. */
function balanced(segments: readonly TextSegment[], column: Column): readonly Line[] {
  const { length } = filled(segments, column);
  let [best, least] = [[] as readonly Line[], Number.POSITIVE_INFINITY];
  for (let share = 1; share > 0.4; share *= 0.98) {
    const lines = filled(segments, { ...column, width: column.width * share });
    if (lines.length > length) break;
    const pauses = lines.slice(0, -1).filter((line) => pause.test(line.at(-1)!.text)).length;
    const cost = share - pauses * 0.15;
    if (cost < least) [best, least] = [lines, cost];
  }
  return best;
}

/** The longest good excerpt: whole sentences, or else whole words and an ellipsis. */
function shortened(
  segments: readonly TextSegment[],
  column: Column & { readonly linesMax: number },
): TextSegment[] {
  const { linesMax } = column;
  let most = filled(segments, column).slice(0, linesMax).flat().length;
  const fits = (): boolean => filled(ended(segments.slice(0, most)), column).length <= linesMax;
  while (most > 1 && !fits()) most -= 1;
  const shown = segments.slice(0, most);
  const sentences = shown.findLastIndex(({ text }) => endsSentence.test(text)) + 1;
  return sentences >= most * sentenceShareMin ? shown.slice(0, sentences) : ended(shown);
}

/** Adds an ellipsis in place of a final comma or short word. */
function ended(segments: readonly TextSegment[]): TextSegment[] {
  const rest = [...segments];
  while (rest.length > 1 && !rest.at(-1)!.isJoined && shortWord.test(rest.at(-1)!.text)) rest.pop();
  const last = rest.pop();
  if (!last) return [];
  const text = last.text.replace(/[\p{Pd},.;:，、；：،؛…]{1,40}$/u, '');
  return [...rest, { ...last, text: `${text}…` }];
}

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
function graphemesOf(segment: TextSegment): TextSegment[] {
  return [...new Intl.Segmenter('en').segment(segment.text)].map((grapheme, index) => ({
    text: grapheme.segment,
    isSpaced: index === 0 && segment.isSpaced,
    isJoined: index > 0 || segment.isJoined,
  }));
}

export function joinSegments(segments: readonly TextSegment[]): string {
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
