/**
 * Texts on which a backtracking expression is slow: a repeated piece and an end that does not
 * match. Pieces come from the expression itself, so that they reach its loops.
 */
import { automatonOf } from '../../../checks/regex-automaton.ts';

type Expression = { readonly source: string; readonly flags: string };

/** A text of about `size` characters. */
export type HostileInput = (size: number) => string;

const repeated =
  (piece: string, { before = '', end = '' } = {}): HostileInput =>
  (size) =>
    before + piece.repeat(Math.ceil(size / piece.length)) + end;

/** Ends that most expressions reject. */
const ends = ['', '\0', '\u{1f600}', '\n!'];
const charactersMax = 12;

/** Characters that the expression tells apart, alone and in pairs, and its own literal text. */
export function hostileInputsFor(expression: Expression): HostileInput[] {
  const characters = automatonOf(expression).alphabet.slice(0, charactersMax);
  const literal = expression.source.replace(/\\[a-zA-Z]|[\\^$.*+?()[\]{}|]/g, '').slice(0, 40);
  const pairs = characters.flatMap((one) => characters.map((other) => one + other));
  const pieces = [...characters, ...pairs, ...(literal === '' ? [] : [literal])];
  return pieces.flatMap((piece) => [
    ...ends.map((end) => repeated(piece, { end })),
    repeated(piece, { before: literal, end: '\0' }),
  ]);
}

/** For parsers: markup, headers, numbers and containers without an end. */
export const hostileTexts: readonly HostileInput[] = [
  ...[
    '<!---->',
    '<!--',
    '<?xml ',
    ' ',
    '\t',
    '\n',
    ',',
    '-',
    '0',
    '9',
    '=',
    ';',
    '%',
    '&',
    '[',
    '{',
  ],
  ...['bytes=', '0-', ' ,', '"a"', 'W/"', 'Bearer ', 'http://', 'a.', 'a@', ':', '::', '\u200b-'],
  ...[
    '\xff\xd8\xff\x01',
    '\xff\xfe\0\x02',
    'ispe',
    'ftyp',
    'RIFF',
    '\x1a\x45\xdf\xa3',
    'GIF8',
    'ID3',
  ],
].flatMap((piece) => [repeated(piece), repeated(piece, { before: 'x', end: '\0' })]);
