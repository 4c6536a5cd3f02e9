/**
 * Reads CSV as a stream: RFC 4180 with commas, semicolons or tabs, whichever the header has. Holds
 * one chunk and one line, whatever the length of the file.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';

const lineCharactersMax = 100_000;

/** Yields the fields of each line that has any, with its number from 1. */
export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly line: number; readonly fields: readonly string[] }> {
  const decoder = new TextDecoder();
  let separator: string | null = null;
  let line = 0;
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    yield* wholeLines(false);
  }
  text += decoder.decode();
  yield* wholeLines(true);

  function* wholeLines(isEnd: boolean) {
    let from = 0;
    for (;;) {
      const end = lineEnd(text, from);
      const until = end < 0 ? text.length : end;
      if (until - from > lineCharactersMax) throw tooLong(line + 1);
      if (end < 0 && !(isEnd && from < text.length)) break;
      const content = text.slice(from, until).replace(/\r$/, '');
      from = until + 1;
      line += 1;
      if (content.trim() === '') continue;
      separator ??= [',', ';', '\t'].find((one) => content.includes(one)) ?? ',';
      yield { line, fields: fieldsOf(content, separator) };
    }
    text = text.slice(from);
  }
}

/** A line break inside quotes belongs to its field. Returns -1 where the line has no end yet. */
function lineEnd(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = text.indexOf('\n', at);
    if (end < 0) return -1;
    const quote = text.slice(at, end).indexOf('"');
    if (quote < 0) return end;
    const closing = text.indexOf('"', at + quote + 1);
    if (closing < 0) return -1;
    at = closing + 1;
  }
}

function fieldsOf(content: string, separator: string): string[] {
  if (!content.includes('"')) return content.split(separator);
  const fields: string[] = [];
  for (let at = 0; at <= content.length; ) {
    const isQuoted = content[at] === '"';
    const end = isQuoted ? closingQuote(content, at) : at;
    const next = content.indexOf(separator, end);
    const until = next < 0 ? content.length : next;
    const inner = isQuoted ? content.slice(at + 1, end).replaceAll('""', '"') : '';
    fields.push(isQuoted ? inner : content.slice(at, until));
    at = until + 1;
  }
  return fields;
}

function closingQuote(content: string, from: number): number {
  for (let at = from + 1; ; at += 2) {
    at = content.indexOf('"', at);
    if (at < 0) return content.length;
    if (content[at + 1] !== '"') return at;
  }
}

const tooLong = (line: number): ApiError =>
  new ApiError(
    'invalid_request',
    `Line ${line} of the file has more than ${lineCharactersMax} characters; send CSV with a row ` +
      'on each line.',
  );
