/**
 * Reads CSV as a stream: RFC 4180 with commas, semicolons or tabs, whichever the header has most
 * of. A quote opens a field only at its beginning. Holds one chunk and one row, whatever the length
 * of the file, and reads each character once or twice.
 */
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';

const rowCharactersMax = 100_000;
const separators = [',', ';', '\t'];

/** Yields the fields of each row that has any, with its number from 1. */
export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly line: number; readonly fields: readonly string[] }> {
  const decoder = new TextDecoder();
  let fieldEnd: RegExp | null = null;
  let line = 0;
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    yield* rows();
  }
  text += `${decoder.decode()}\n`;
  yield* rows();
  if (text.trim() !== '') throw unreadable(line + 1, 'has a quote that is not closed');

  function* rows() {
    let from = 0;
    while (from < text.length) {
      fieldEnd ??= fieldEndIn(text);
      const row = fieldEnd && rowAt(text, from, fieldEnd);
      const until = row ? row.until : text.length;
      if (until - from > rowCharactersMax) {
        throw unreadable(line + 1, `has more than ${rowCharactersMax} characters`);
      }
      if (!row) break;
      from = until;
      line += 1;
      if (row.fields.some((field) => field.trim() !== '')) yield { line, fields: row.fields };
    }
    text = text.slice(from);
  }
}

/** Finds what ends a field without quotes; null before the end of the header. */
function fieldEndIn(text: string): RegExp | null {
  const from = text.length - text.trimStart().length;
  const end = text.indexOf('\n', from);
  if (end < 0) return null;
  const header = text.slice(from, end).replaceAll(/"[^"]*"/g, '');
  const countOf = (one: string) => header.split(one).length;
  const [separator] = separators.toSorted((one, other) => countOf(other) - countOf(one));
  return new RegExp(`[${separator}\n]`, 'g');
}

/** Null where the row has no end yet. */
function rowAt(text: string, from: number, fieldEnd: RegExp) {
  const fields: string[] = [];
  for (let at = from; ; ) {
    const closing = text[at] === '"' ? closingQuote(text, at) : at;
    fieldEnd.lastIndex = closing;
    const end = closing < 0 ? undefined : fieldEnd.exec(text)?.index;
    if (end === undefined) return null;
    const quoted = closing === at ? '' : text.slice(at + 1, closing - 1).replaceAll('""', '"');
    fields.push(quoted + text.slice(closing, end).replace(/\r$/, ''));
    at = end + 1;
    if (text[end] === '\n') return { fields, until: at };
  }
}

/** After the quote that closes the one at `from`; -1 where it is not closed yet. */
function closingQuote(text: string, from: number): number {
  for (let at = from + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) return -1;
    if (text[at + 1] !== '"') return at + 1;
  }
}

const unreadable = (line: number, problem: string): ApiError =>
  invalidRequest(`Line ${line} of the file ${problem}; send CSV with a row on each line.`);
