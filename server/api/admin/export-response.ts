/**
 * Lists as files: all rows that match the filters, as CSV or as one JSON array. Rows are read and
 * sent page by page, so a long list or a slow client does not take memory.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { nowMs } from '../../process/clock.ts';
import { type CsvColumn, csvLine } from '../http/csv.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiResponse } from '../http/handler.ts';

export const pageRows = 500;

export const exportDescription = (row: z.ZodType): ResponseDescription => ({
  description: 'The file, as long as it gets: with `format` `json` one array.',
  contentType: 'text/csv',
  alsoJson: z.array(row),
});

/**
 * Reads pages, each after the last row of the previous one, until one is not full. A slow client
 * may take hours, so `reauthorize` judges its right again before every further page.
 */
export async function* readPages<Row>(
  read: (last: Row | undefined) => Promise<readonly Row[]>,
  { reauthorize }: { readonly reauthorize: () => Promise<void> },
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined;
  for (;;) {
    if (last !== undefined) await reauthorize();
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < pageRows) return;
    last = rows.at(-1);
  }
}

/** As `readPages`, for a list whose cursors are opaque. */
export async function* readCursorPages<Row>(
  read: (
    cursor: string | undefined,
  ) => Promise<{ items: readonly Row[]; nextCursor: string | null }>,
  { reauthorize }: { readonly reauthorize: () => Promise<void> },
): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined;
  for (;;) {
    if (cursor !== undefined) await reauthorize();
    const { items, nextCursor } = await read(cursor);
    if (items.length > 0) yield items;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

type ExportedFile = {
  readonly format: 'csv' | 'json';
  readonly contentName: string;
  readonly accountName?: string | undefined;
};

export async function exportResponse<Row>(
  pages: AsyncIterable<readonly Row[]>,
  { columns, ...file }: ExportedFile & { readonly columns: readonly CsvColumn<Row>[] },
): Promise<ApiResponse> {
  const { format } = file;
  const text = format === 'csv' ? csvText(pages, columns) : jsonText(pages);
  // The first chunk is read before the response starts, so that an error can still be sent.
  const first = await text.next();
  const types = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json' };
  return {
    stream: Readable.from(prependChunk(first, text), { objectMode: false }),
    headers: {
      'content-type': types[format],
      'content-disposition': `attachment; filename="${fileNameOf(file)}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  };
}

/** Yields the header line together with the first rows. */
async function* csvText<Row>(
  pages: AsyncIterable<readonly Row[]>,
  columns: readonly CsvColumn<Row>[],
): AsyncGenerator<string, void> {
  let head = csvLine(columns.map(([name]) => name));
  for await (const rows of pages) {
    yield head + rows.map((row) => csvLine(columns.map(([, of]) => of(row)))).join('');
    head = '';
  }
  if (head !== '') yield head;
}

async function* jsonText<Row>(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<string, void> {
  let head = '[';
  for await (const rows of pages) {
    yield head + rows.map((row) => JSON.stringify(row)).join(',\n');
    head = ',\n';
  }
  yield head === '[' ? '[]\n' : ']\n';
}

async function* prependChunk(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** `vidgen-tasks-paper-boat-studio-2026-01-31.csv`: ASCII letters, digits and hyphens only. */
export function fileNameOf({
  contentName,
  accountName = '',
  format,
}: Omit<ExportedFile, 'format'> & { readonly format: string }): string {
  const slug = accountName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  const day = new Date(nowMs()).toISOString().slice(0, 10);
  const parts = ['vidgen', contentName, slug, day].filter((part) => part !== '');
  return `${parts.join('-')}.${format}`;
}

/** The form that spreadsheets parse. */
export const isoTimestamp = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();
