/**
 * Finds the words of a table in a text of any language. The time is linear in the length of the
 * text, whatever it contains, since words are looked up and never searched for.
 */
import type { Meaning } from './meaning.ts';

/**
 * A row of a table: a meaning, its weight, and words separated by spaces. `a_b` is a phrase,
 * `stem*` matches every word with that start, and `{a,b}_c` is both `a_c` and `b_c`. The longest
 * match wins and hides the words inside it. Of the weights of a place, 3 names it, 2 belongs there
 * and 1 is often found there.
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

export type Lexicon = {
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

/** Returns every meaning of the text. A repeated word counts once. */
export function meaningsOf(
  lexicon: Lexicon,
  list: readonly string[],
  options: { readonly isNegated: (at: number) => boolean },
): ReadonlyMap<Meaning, FoundMeaning> {
  const found = new Map<Meaning, FoundMeaning>();
  const seen = new Set<string>();
  const note = ({ key, senses }: Entry, at: number): void => {
    if (seen.has(key) || options.isNegated(at)) return;
    seen.add(key);
    for (const { meaning, weight } of senses) {
      const before = found.get(meaning);
      found.set(meaning, {
        ...{ meaning, weight: weight + (before?.weight ?? 0) },
        at: before?.at ?? at,
      });
    }
  };
  for (let at = 0; at < list.length; ) {
    const word = list[at]!;
    if (withoutSpaces.test(word)) {
      noteRun(lexicon, word, (entry) => note(entry, at));
      at += 1;
      continue;
    }
    const phrase = phraseAt(lexicon, list, at);
    if (phrase) note(phrase, at);
    at += phrase?.length ?? 1;
  }
  return found;
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

/** Looks up a word and its singular, such as "wave" for "waves". */
function wholeEntry({ words: whole }: Lexicon, key: string): Entry | undefined {
  const exact = whole.get(key);
  const single =
    key.length > 3 && key.endsWith('s')
      ? (whole.get(key.slice(0, -1)) ?? (key.endsWith('es') ? whole.get(key.slice(0, -2)) : null))
      : null;
  if (!exact || !single) return exact || single ? { key, senses: (exact ?? single)! } : undefined;
  const others = single.filter(({ meaning }) => !exact.some((sense) => sense.meaning === meaning));
  return { key, senses: [...exact, ...others] };
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
function noteRun({ words: whole }: Lexicon, run: string, note: (entry: Entry) => void): void {
  for (let at = 0; at < run.length; ) {
    let length = Math.min(runCharactersMax, run.length - at);
    while (length > 0 && !whole.has(run.slice(at, at + length))) length -= 1;
    const key = run.slice(at, at + length);
    if (length > 0) note({ key, senses: whole.get(key)! });
    at += Math.max(1, length);
  }
}
