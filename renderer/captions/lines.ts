/**
 * Breaks a text into lines: the largest size at which it fits, lines of similar length, and a
 * shortened text if it does not fit.
 */
import { graphemesOf, type TextSegment } from './line-breaks.ts';

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

/** The width of a text in ems. */
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
