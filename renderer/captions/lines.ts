/**
 * Breaks a text into lines: the largest size at which it fits, lines of similar length that end at
 * natural pauses, and a shortened text if it does not fit.
 */
import { graphemesOf, type TextSegment } from './line-breaks.ts';

type SegmentedText = {
  readonly segments: readonly TextSegment[];
  /** Whether the prompt has more text than this. */
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

/** The width of a text in ems. */
type WidthOf = (text: string) => number;

/** A shortened text ends with a sentence or clause if that keeps at least this share. */
const sentenceShareMin = 0.5;
const clauseShareMin = 0.75;

const closers = `["'”’»」』）)\\]]*$`;
const endsSentence = new RegExp(`(?<!\\d)[.!?。！？।؟۔]${closers}`, 'u');
const endsClause = new RegExp(`[,;:，、；：،؛—–]${closers}`, 'u');
const short = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,2}$/u;
/** A preposition or an article, which belongs to the next word. */
const isShortWord = (segment: TextSegment): boolean =>
  !segment.isJoined && short.test(segment.text);

export function setLines(
  text: SegmentedText,
  space: TextSpace,
  widthOf: WidthOf,
): { readonly lines: readonly Line[]; readonly pixels: number } {
  const measure = measureWith(widthOf);
  for (const { pixels, linesMax } of text.isTruncated ? [] : space.steps) {
    const column = { width: space.width / pixels, measure };
    const segments = breakable(text.segments, column);
    const { length } = filled(segments, column);
    if (length <= linesMax) return { lines: balanced(segments, { ...column, length }), pixels };
  }
  const { pixels, linesMax } = space.forExcerpt;
  const column = { width: space.width / pixels, measure };
  const segments = shortened(breakable(text.segments, column), { ...column, linesMax });
  const { length } = filled(segments, column);
  return { lines: balanced(segments, { ...column, length }), pixels };
}

/** One line, shortened with an ellipsis if it is wider than `width`. */
export function oneLine(text: string, width: number, widthOf: WidthOf): string {
  if (widthOf(text) <= width) return text;
  const characters = graphemesOf({ text, isSpaced: false, isJoined: false });
  const shown = (): string => `${characters.map((character) => character.text).join('')}…`;
  while (characters.length > 1 && widthOf(shown()) > width) characters.pop();
  return shown();
}

/** The width that a segment adds to a line. */
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

/** Splits segments that are longer than a line into characters. */
function breakable(segments: readonly TextSegment[], { width, measure }: Column): TextSegment[] {
  return segments.flatMap((segment) =>
    measure(segment, { isFirst: true }) > width ? graphemesOf(segment) : segment,
  );
}

/** Greedy line breaking. */
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

/** The longest good excerpt: whole sentences, or else whole words and an ellipsis. */
function shortened(
  segments: readonly TextSegment[],
  column: Column & { readonly linesMax: number },
): TextSegment[] {
  const { linesMax } = column;
  let most = filled(segments, column).slice(0, linesMax).flat().length;
  const fits = (): boolean => filled(ended(segments.slice(0, most)), column).length <= linesMax;
  while (most > 1 && !fits()) most -= 1;
  const endOf = (end: RegExp, share: number): number => {
    const length = segments.slice(0, most).findLastIndex(({ text }) => end.test(text)) + 1;
    return length >= most * share ? length : 0;
  };
  const sentences = endOf(endsSentence, sentenceShareMin);
  if (sentences > 0) return segments.slice(0, sentences);
  return ended(segments.slice(0, endOf(endsClause, clauseShareMin) || most));
}

/** Adds an ellipsis in place of a final comma or short word. */
function ended(segments: readonly TextSegment[]): TextSegment[] {
  const rest = [...segments];
  while (rest.length > 1 && isShortWord(rest.at(-1)!)) rest.pop();
  const last = rest.pop();
  if (!last) return [];
  const text = last.text.replace(/[\p{Pd},.;:，、；：،؛…]{1,40}$/u, '');
  return [...rest, { ...last, text: `${text}…` }];
}

type LineSetting = { readonly cost: number; readonly lines: readonly Line[] };

/** Breaks into exactly `length` lines at the lowest cost; `filled` has shown that they fit. */
function balanced(
  segments: readonly TextSegment[],
  { width, measure, length }: Column & { readonly length: number },
): readonly Line[] {
  const total = segments.reduce((sum, segment) => sum + measure(segment, { isFirst: false }), 0);
  // Dynamic programming: the best setting by the number of segments used so far.
  let settings = new Map<number, LineSetting>([[0, { cost: 0, lines: [] }]]);
  for (let line = 1; line <= length; line += 1) {
    const longer = new Map<number, LineSetting>();
    for (const [from, { cost, lines }] of settings) {
      let used = 0;
      for (let to = from; to < segments.length; to += 1) {
        used += measure(segments[to]!, { isFirst: to === from });
        if (used > width && to > from) break;
        const ending = to === segments.length - 1 ? 0 : costOfEnd(segments[to]!, segments[to - 1]);
        const sum = cost + ((used * length) / total - 1) ** 2 + ending;
        if (sum >= (longer.get(to + 1)?.cost ?? Number.POSITIVE_INFINITY)) continue;
        longer.set(to + 1, { cost: sum, lines: [...lines, segments.slice(from, to + 1)] });
      }
    }
    settings = longer;
  }
  return settings.get(segments.length)?.lines ?? filled(segments, { width, measure });
}

/** The bonus of a comma equals the cost of lines at a ratio of 58 to 42. */
function costOfEnd(segment: TextSegment, before: TextSegment | undefined): number {
  if (endsSentence.test(segment.text)) return -0.1;
  if (endsClause.test(segment.text)) return -0.06;
  // A line should not end after the first word of a sentence.
  if (before && segment.isSpaced && endsSentence.test(before.text)) return 0.06;
  return isShortWord(segment) ? 0.05 : 0;
}
