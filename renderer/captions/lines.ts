/**
 * Sets a text into lines: the largest size at which it fits, lines of about equal length that end
 * where a reader would pause, and a graceful end where there is more text than room.
 */
import { fragmentsOf, type Piece } from './pieces.ts';

export type Text = {
  readonly pieces: readonly Piece[];
  /** Whether there is more text than these pieces. */
  readonly goesOn: boolean;
};

export type Room = {
  readonly width: number;
  /** From the largest size to the smallest; the first at which the text fits is taken. */
  readonly steps: readonly Step[];
  /** For the beginning of a text that fits at none of them. */
  readonly forBeginning: Step;
};

export type Step = { readonly pixels: number; readonly linesMax: number };

export type Line = readonly Piece[];

/** Of a text, in ems: the width at a size of one. */
export type WidthOf = (text: string) => number;

/** A text may end early with a sentence or a clause that is this much of what would fit. */
const sentenceShareMin = 0.5;
const clauseShareMin = 0.75;

const closers = `["'”’»」』）)\\]]*$`;
const endsSentence = new RegExp(`(?<!\\d)[.!?。！？।؟۔]${closers}`, 'u');
const endsClause = new RegExp(`[,;:，、；：،؛—–]${closers}`, 'u');
const short = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,2}$/u;
/** A preposition or an article, which waits for its word. */
const hangs = (piece: Piece): boolean => !piece.isJoined && short.test(piece.text);

export function setLines(
  text: Text,
  room: Room,
  widthOf: WidthOf,
): { readonly lines: readonly Line[]; readonly pixels: number } {
  const measure = measureWith(widthOf);
  for (const { pixels, linesMax } of text.goesOn ? [] : room.steps) {
    const column = { width: room.width / pixels, measure };
    const pieces = breakable(text.pieces, column);
    const { length } = filled(pieces, column);
    if (length <= linesMax) return { lines: balanced(pieces, { ...column, length }), pixels };
  }
  const { pixels, linesMax } = room.forBeginning;
  const column = { width: room.width / pixels, measure };
  const pieces = shortened(breakable(text.pieces, column), { ...column, linesMax });
  const { length } = filled(pieces, column);
  return { lines: balanced(pieces, { ...column, length }), pixels };
}

/** One line, cut between characters and ended by an ellipsis where it is wider than given. */
export function oneLine(text: string, width: number, widthOf: WidthOf): string {
  if (widthOf(text) <= width) return text;
  const kept = fragmentsOf({ text, isSpaced: false, isJoined: false });
  const shown = (): string => `${kept.map((fragment) => fragment.text).join('')}…`;
  while (kept.length > 1 && widthOf(shown()) > width) kept.pop();
  return shown();
}

/** What a piece adds to a line that it begins, or does not begin. */
type Measure = (piece: Piece, place: { readonly isFirst: boolean }) => number;

/** As wide as a line may be, in ems. */
type Column = { readonly width: number; readonly measure: Measure };

function measureWith(widthOf: WidthOf): Measure {
  const space = widthOf('n n') - widthOf('nn');
  const known = new Map<string, number>();
  return (piece, { isFirst }) => {
    const width = known.get(piece.text) ?? widthOf(piece.text);
    known.set(piece.text, width);
    return piece.isSpaced && !isFirst ? space + width : width;
  };
}

/** A piece that is longer than a line has to break somewhere. */
function breakable(pieces: readonly Piece[], { width, measure }: Column): Piece[] {
  return pieces.flatMap((piece) =>
    measure(piece, { isFirst: true }) > width ? fragmentsOf(piece) : piece,
  );
}

/** Each line as full as can be. */
function filled(pieces: readonly Piece[], { width, measure }: Column): Piece[][] {
  const lines: Piece[][] = [];
  let used = 0;
  for (const piece of pieces) {
    used += measure(piece, { isFirst: false });
    if (lines.length > 0 && used <= width) {
      lines.at(-1)!.push(piece);
    } else {
      lines.push([piece]);
      used = measure(piece, { isFirst: true });
    }
  }
  return lines;
}

/** The longest good beginning: whole sentences, or else whole words and an ellipsis. */
function shortened(
  pieces: readonly Piece[],
  column: Column & { readonly linesMax: number },
): Piece[] {
  const { linesMax } = column;
  let most = filled(pieces, column).slice(0, linesMax).flat().length;
  const fits = (): boolean => filled(ended(pieces.slice(0, most)), column).length <= linesMax;
  while (most > 1 && !fits()) most -= 1;
  const endOf = (end: RegExp, share: number): number => {
    const length = pieces.slice(0, most).findLastIndex(({ text }) => end.test(text)) + 1;
    return length >= most * share ? length : 0;
  };
  const sentences = endOf(endsSentence, sentenceShareMin);
  if (sentences > 0) return pieces.slice(0, sentences);
  return ended(pieces.slice(0, endOf(endsClause, clauseShareMin) || most));
}

/** An ellipsis instead of a comma, or of a word that waits for the next. */
function ended(pieces: readonly Piece[]): Piece[] {
  const kept = [...pieces];
  while (kept.length > 1 && hangs(kept.at(-1)!)) kept.pop();
  const last = kept.pop();
  if (!last) return [];
  const text = last.text.replace(/[\p{Pd},.;:，、；：،؛…]+$/u, '');
  return [...kept, { ...last, text: `${text}…` }];
}

type Setting = { readonly cost: number; readonly lines: readonly Line[] };

/** As many lines as said, so that they cost the eye least; `filled` has proved that they fit. */
function balanced(
  pieces: readonly Piece[],
  { width, measure, length }: Column & { readonly length: number },
): readonly Line[] {
  const total = pieces.reduce((sum, piece) => sum + measure(piece, { isFirst: false }), 0);
  // By the number of pieces set so far: the best way to set them in the lines so far.
  let settings = new Map<number, Setting>([[0, { cost: 0, lines: [] }]]);
  for (let line = 1; line <= length; line += 1) {
    const longer = new Map<number, Setting>();
    for (const [from, { cost, lines }] of settings) {
      let used = 0;
      for (let to = from; to < pieces.length; to += 1) {
        used += measure(pieces[to]!, { isFirst: to === from });
        if (used > width && to > from) break;
        const ending = to === pieces.length - 1 ? 0 : costOfEnd(pieces[to]!, pieces[to - 1]);
        const sum = cost + ((used * length) / total - 1) ** 2 + ending;
        if (sum >= (longer.get(to + 1)?.cost ?? Number.POSITIVE_INFINITY)) continue;
        longer.set(to + 1, { cost: sum, lines: [...lines, pieces.slice(from, to + 1)] });
      }
    }
    settings = longer;
  }
  return settings.get(pieces.length)?.lines ?? filled(pieces, { width, measure });
}

/** A comma makes up for lines that are as 58 to 42, and an end at `of` is as bad as those. */
function costOfEnd(piece: Piece, before: Piece | undefined): number {
  if (endsSentence.test(piece.text)) return -0.1;
  if (endsClause.test(piece.text)) return -0.06;
  // The first word of a sentence, alone at the end of a line, is worse than an article.
  if (before && piece.isSpaced && endsSentence.test(before.text)) return 0.06;
  return hangs(piece) ? 0.05 : 0;
}
