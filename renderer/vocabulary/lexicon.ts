/**
 * Finds the words of a table in a text of any language. The time is linear in the length of the
 * text, whatever it contains, since words are looked up and never searched for.
 */
import type { Meaning } from './meaning.ts';

/**
 * A row of a table: a meaning, its weight, and words separated by spaces. `a_b` is a phrase,
 * `stem*` matches every word with that start, and `{a,b}_c` is both `a_c` and `b_c`. The longest
 * match wins and hides the words inside it. Of the weights of a place, 2 names it and cannot mean
 * anything else, and 1 is often found there.
 */
export type WordRow = readonly [key: `${Meaning} ${number}`, words: string];

export type FoundMeaning = {
  readonly meaning: Meaning;
  /** The sum over all different words with this meaning. */
  readonly weight: number;
  /** Index of the first of them, in words. */
  readonly at: number;
};

type Sense = { readonly meaning: Meaning; readonly weight: number };

type Lexicon = {
  readonly words: ReadonlyMap<string, readonly Sense[]>;
  readonly stems: ReadonlyMap<string, readonly Sense[]>;
};

/** The rest of a longer prompt is not read. */
const charactersMax = 4_000;
const phraseWordsMax = 4;
const stemCharactersMax = 16;
const stemCharactersMin = 2;
const runCharactersMax = 7;

/** Scripts without spaces, where a word may start at any character. */
const unspaced = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}ー';
const words = new RegExp(`[${unspaced}]+|[[\\p{L}\\p{M}\\p{N}]--[${unspaced}]]+`, 'gv');
const withoutSpaces = new RegExp(`^[${unspaced}]`, 'v');
/** Arabic prefixes that are written together with the next word. */
const arabicPrefix = /^(?:[وفبكل]?ال|لل|[وفبكل])(?=\p{sc=Arab}{3})/u;

/** Lower case without accents, for comparing texts with tables. */
export function fold(text: string): string {
  return text
    .slice(0, charactersMax)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0640\u064b-\u065f\u0670]+/g, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
    .slice(0, charactersMax);
}

export const wordsOf = (folded: string): readonly string[] => folded.match(words) ?? [];

export function lexiconOf(rows: readonly WordRow[]): Lexicon {
  const whole = new Map<string, Sense[]>();
  const stems = new Map<string, Sense[]>();
  for (const [row, list] of rows) {
    const [meaning, weight] = [row.split(' ')[0] as Meaning, Number(row.split(' ')[1])];
    for (const key of list.split(' ').flatMap(spellings)) {
      const isStem = key.endsWith('*');
      const folded = fold(isStem ? key.slice(0, -1) : key);
      const map = isStem ? stems : whole;
      // A word that several languages share counts once.
      const others = (map.get(folded) ?? []).filter((sense) => sense.meaning !== meaning);
      map.set(folded, [...others, { meaning, weight }]);
    }
  }
  return { words: whole, stems };
}

function spellings(key: string): readonly string[] {
  const open = key.indexOf('{');
  if (open === -1) return key === '' ? [] : [key];
  const close = key.indexOf('}', open);
  const rest = spellings(key.slice(close + 1));
  const choices = key.slice(open + 1, close).split(',');
  return choices.flatMap((choice) =>
    (rest.length === 0 ? [''] : rest).map((end) => key.slice(0, open) + choice + end),
  );
}

/** A known word or phrase (a part, where a script has no spaces), or one that no table has. */
type Token = {
  readonly at: number;
  readonly text: string;
  readonly senses: readonly Sense[] | null;
};

/** Returns every meaning of the text. A repeated word counts once. */
export function meaningsOf(
  lexicon: Lexicon,
  list: readonly string[],
  options: { readonly isNegated: (at: number) => boolean },
): ReadonlyMap<Meaning, FoundMeaning> {
  const found = new Map<Meaning, FoundMeaning>();
  const seen = new Set<string>();
  for (const { at, text, senses } of tokensOf(lexicon, list)) {
    if (!senses || seen.has(text) || options.isNegated(at)) continue;
    seen.add(text);
    for (const { meaning, weight } of senses) {
      const before = found.get(meaning);
      found.set(meaning, {
        meaning,
        weight: weight + (before?.weight ?? 0),
        at: before?.at ?? at,
      });
    }
  }
  return found;
}

/** The text in order, the longest known phrases first. */
export function* tokensOf(lexicon: Lexicon, list: readonly string[]): Generator<Token> {
  for (let at = 0; at < list.length; ) {
    const word = list[at]!;
    if (withoutSpaces.test(word)) {
      yield* partsOf(lexicon, word, at);
      at += 1;
      continue;
    }
    const phrase = phraseAt(lexicon, list, at);
    yield { at, text: phrase?.key ?? word, senses: phrase?.senses ?? null };
    at += phrase?.length ?? 1;
  }
}

type Entry = { readonly key: string; readonly senses: readonly Sense[] };

function phraseAt(lexicon: Lexicon, list: readonly string[], at: number) {
  for (let length = Math.min(phraseWordsMax, list.length - at); length > 1; length -= 1) {
    const entry = wholeEntry(lexicon, list.slice(at, at + length).join('_'));
    if (entry) return { ...entry, length };
  }
  const word = list[at]!;
  const bare = word.replace(arabicPrefix, '');
  const entry =
    wholeEntry(lexicon, word) ??
    stemEntry(lexicon, word) ??
    wholeEntry(lexicon, bare) ??
    stemEntry(lexicon, bare);
  return entry && { ...entry, length: 1 };
}

/** Looks up a word, or else its singular, such as "wave" for "waves". */
function wholeEntry({ words: whole }: Lexicon, key: string): Entry | undefined {
  const endings = key.length <= 3 ? [] : key.endsWith('es') ? [1, 2] : key.endsWith('s') ? [1] : [];
  const spelled = [key, ...endings.map((cut) => key.slice(0, -cut))].find((one) => whole.has(one));
  return spelled === undefined ? undefined : { key, senses: whole.get(spelled)! };
}

function stemEntry({ stems }: Lexicon, word: string): Entry | undefined {
  const longest = Math.min(word.length, stemCharactersMax);
  for (let length = longest; length >= stemCharactersMin; length -= 1) {
    const key = word.slice(0, length);
    const senses = stems.get(key);
    if (senses) return { key, senses };
  }
  return undefined;
}

/** In text without spaces, finds the longest word of the table at every position. */
function* partsOf({ words: whole }: Lexicon, run: string, at: number): Generator<Token> {
  let unknown = '';
  for (let from = 0; from < run.length; ) {
    let length = Math.min(runCharactersMax, run.length - from);
    while (length > 0 && !whole.has(run.slice(from, from + length))) length -= 1;
    const text = run.slice(from, from + Math.max(1, length));
    if (length === 0) unknown += text;
    if (unknown !== '' && (length > 0 || from + 1 === run.length)) {
      yield { at, text: unknown, senses: null };
      unknown = '';
    }
    if (length > 0) yield { at, text, senses: whole.get(text)! };
    from += Math.max(1, length);
  }
}
