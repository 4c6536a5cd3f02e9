/**
 * Lists: one page as JSON, or with `format` all rows that match the filters as a file, which is CSV
 * or one JSON array. Files are read and sent page by page, so a long list or a slow client does not
 * take memory.
 */
import { Readable } from 'node:stream';
import type { listOf } from '@vidgen/contract/list.ts';
import { z } from 'zod';
import { countList, type Page, type PageRequest } from '../../database/page.ts';
import { nowMs } from '../../process/clock.ts';
import { type CsvColumn, csvLine } from './csv.ts';
import type { ResponseDescription } from './endpoint-definition.ts';
import { enforceSessionLimit } from './enforce-rate-limit.ts';
import type { ApiRequest, ApiResponse, ApiServices } from './handler.ts';
import { pageOf } from './samples.ts';

const filePageRows = 500;

/** Each may read every row of an account. */
export const exportLimit = { purpose: 'export', perMinute: 20 } as const;

type ListSchema = ReturnType<typeof listOf>;

export const listDescription = (schema: ListSchema, item: object): ResponseDescription => ({
  description: 'A page, newest first.',
  schema,
  examples: { page: ['The last page', pageOf(item)] },
});

/** Describes a list whose query has `format`. */
export const fileListDescription = (schema: ListSchema, item: object): ResponseDescription => ({
  ...listDescription(schema, item),
  description: 'A page; with `format` all of it, as long as it gets.',
  schema: z.union([schema, schema.shape.items]),
  alsoCsv: true,
});

type FileFormat = 'csv' | 'json';
type ListedFile<Row> = {
  readonly columns: readonly CsvColumn<Row>[];
  /** Is part of the name of the file. */
  readonly contentName: string;
  readonly accountName?: string | undefined;
};
type Caller = Pick<ApiRequest, 'person' | 'reauthorize'>;

export async function listResponse<Row>(
  services: ApiServices,
  request: Caller & { readonly query: PageRequest & { readonly format?: FileFormat | undefined } },
  {
    read,
    list,
    ...file
  }: ListedFile<Row> & {
    read(page: PageRequest): Promise<Page<Row>>;
    /** Reads the rows of the list, to count them; undefined where that is not done. */
    readonly list?: Parameters<typeof countList>[1] | undefined;
  },
): Promise<ApiResponse> {
  const { cursor, limit, format } = request.query;
  if (format !== undefined) {
    return fileResponse(services, request, {
      ...file,
      format,
      read: (after) => read({ cursor: after, limit: filePageRows }),
    });
  }
  const { items, nextCursor } = await read({ cursor, limit });
  const isFirst = cursor === undefined && nextCursor !== null;
  const total = isFirst && list ? await countList(services.lifecycle.db, list) : undefined;
  return { body: { items, next_cursor: nextCursor, ...(total === undefined ? {} : { total }) } };
}

/** A slow client may take hours, so its right is judged again before every further page. */
export function fileResponse<Row>(
  services: ApiServices,
  request: Caller,
  {
    read,
    columns,
    ...file
  }: ListedFile<Row> & {
    readonly format: FileFormat;
    read(cursor: string | undefined): Promise<Page<Row>>;
  },
): ApiResponse {
  enforceSessionLimit(services, { sessionLimit: exportLimit }, request);
  const reauthorize = () => request.reauthorize(services.lifecycle.db, { lock: false });
  const pages = readPages(read, { reauthorize });
  const text = file.format === 'csv' ? csvText(pages, columns) : jsonText(pages);
  const types = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json' };
  return {
    stream: Readable.from(text, { objectMode: false }),
    headers: attachmentHeaders({ ...file, type: types[file.format] }),
  };
}

export async function* readPages<Row>(
  read: (cursor: string | undefined) => Promise<Page<Row>>,
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

/** `vidgen-tasks-paper-boat-studio-2026-01-31.csv`: ASCII letters, digits and hyphens only. */
export function attachmentHeaders({
  contentName,
  accountName = '',
  format,
  type,
}: Omit<ListedFile<never>, 'columns'> & { readonly format: string; readonly type: string }) {
  const slug = accountName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  const day = new Date(nowMs()).toISOString().slice(0, 10);
  const parts = ['vidgen', contentName, slug, day].filter((part) => part !== '');
  return {
    'content-type': type,
    'content-disposition': `attachment; filename="${parts.join('-')}.${format}"`,
    'cache-control': 'no-store',
  };
}
