/**
 * Lists as files: exactly what their filters let through, whole, as CSV or as one JSON array. Read
 * and sent page by page, so that neither the length of a list nor a slow reader costs memory.
 */
import { Readable } from 'node:stream';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import {
  ExportLedgerQuery,
  ExportTasksQuery,
  ExportUsageQuery,
  type UsageRow,
} from '@vidgen/contract/usage.ts';
import { getAccount } from '../../accounts/account.ts';
import { nowMs } from '../../clock.ts';
import { listEntries } from '../../ledger/entries.ts';
import { listTasks } from '../../tasks/store.ts';
import { type CsvColumn, csvLine } from '../http/csv.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseQuery } from '../http/parse-request.ts';
import { filterOf } from './tasks.ts';
import { usageFilterOf, usageRows } from './usage.ts';
import { adminTaskView, entryView } from './views.ts';

const pageRows = 500;

export async function exportAccountTasks(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId, name } = await getAccount(services.lifecycle.db, request.params.id!);
  return await exportTasks(services, { request, accountId, accountName: name });
}

export async function exportAllTasks(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  return await exportTasks(services, { request });
}

async function exportTasks(
  { lifecycle }: ApiServices,
  {
    request,
    accountId,
    accountName,
  }: { request: ApiRequest; accountId?: string; accountName?: string },
): Promise<ApiResponse> {
  const { format, ...query } = parseQuery(ExportTasksQuery, request.query);
  const filter = { ...filterOf({ ...query, limit: pageRows }), accountId };
  const pages = readPages(async (last: AdminTask | undefined) => {
    const tasks = await listTasks(lifecycle.db, { ...filter, beforeId: last?.id });
    return tasks.map((task) => adminTaskView(task, lifecycle.resultUrl));
  });
  return await exportResponse(pages, {
    format,
    columns: taskColumns,
    contentName: 'tasks',
    accountName,
  });
}

export async function exportLedger(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId, name: accountName } = await getAccount(lifecycle.db, request.params.id!);
  const { format, mode, kind, task_id: taskId } = parseQuery(ExportLedgerQuery, request.query);
  const filter = { accountId, mode, kind, taskId, limit: pageRows };
  const pages = readPages(async (last: LedgerEntry | undefined) => {
    const beforeId = last === undefined ? undefined : Number(last.id);
    return (await listEntries(lifecycle.db, { ...filter, beforeId })).map(entryView);
  });
  return await exportResponse(pages, {
    format,
    columns: entryColumns,
    contentName: 'credits',
    accountName,
  });
}

export async function exportUsage(
  { lifecycle: { db } }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId, name: accountName } = await getAccount(db, request.params.id!);
  const { format, ...query } = parseQuery(ExportUsageQuery, request.query);
  const { rows, keys } = await usageRows(db, usageFilterOf(accountId, query));
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const columns: CsvColumn<UsageRow>[] = [
    ...usageColumns,
    ['key_name', ({ key_id }) => names.get(key_id) ?? null],
  ];
  return await exportResponse(Readable.from([rows]), {
    format,
    columns,
    contentName: 'usage',
    accountName,
  });
}

/** Asks for the page after the last row there was, until one is not full. */
async function* readPages<Row>(
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined;
  for (;;) {
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < pageRows) return;
    last = rows.at(-1);
  }
}

async function exportResponse<Row>(
  pages: AsyncIterable<readonly Row[]>,
  options: {
    readonly format: 'csv' | 'json';
    readonly columns: readonly CsvColumn<Row>[];
    readonly contentName: string;
    readonly accountName?: string | undefined;
  },
): Promise<ApiResponse> {
  const { format, columns } = options;
  const text = format === 'csv' ? csvText(pages, columns) : jsonText(pages);
  // Before the answer begins: what is wrong at once can still be told.
  const first = await text.next();
  const types = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json' };
  return {
    stream: Readable.from(prependChunk(first, text), { objectMode: false }),
    headers: {
      'content-type': types[format],
      'content-disposition': `attachment; filename="${fileNameOf(options)}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  };
}

/** The head of the file together with its first rows. */
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

/** `vidgen-tasks-paper-boat-studio-2026-01-31.csv`: plain characters only. */
function fileNameOf(options: {
  contentName: string;
  accountName?: string | undefined;
  format: string;
}): string {
  const slug = (options.accountName ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  const day = new Date(nowMs()).toISOString().slice(0, 10);
  const parts = ['vidgen', options.contentName, slug, day].filter((part) => part !== '');
  return `${parts.join('-')}.${options.format}`;
}

/** As a spreadsheet reads it; null stays empty. */
const isoTimestamp = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();

const taskColumns: readonly CsvColumn<AdminTask>[] = [
  ['id', (task) => task.id],
  ['created_at', (task) => isoTimestamp(task.created_at)],
  ['status', (task) => task.status],
  ['billing_status', (task) => task.billing_status],
  ['failed_reason', (task) => task.failed_reason],
  ['model', (task) => task.model],
  ['mode', (task) => task.mode],
  ['generation_type', (task) => task.generation_type],
  ['resolution', (task) => task.resolution],
  ['duration', (task) => task.duration],
  ['credits', (task) => task.credits],
  ['prompt', (task) => task.prompt],
  ['submitted_at', (task) => isoTimestamp(task.submitted_at)],
  ['finished_at', (task) => isoTimestamp(task.finished_at)],
  ['callback_url', (task) => task.callback_url],
  ['key_id', (task) => task.key_id],
  ['account_id', (task) => task.account_id],
  ['refund_outcome', (task) => task.refund_outcome],
];

const entryColumns: readonly CsvColumn<LedgerEntry>[] = [
  ['number', (entry) => entry.number],
  ['created_at', (entry) => isoTimestamp(entry.created_at)],
  ['mode', (entry) => entry.mode],
  ['kind', (entry) => entry.kind],
  ['amount', (entry) => entry.amount],
  ['source', (entry) => entry.source],
  ['target', (entry) => entry.target],
  ['available_after', (entry) => entry.balance_after.available],
  ['reserved_after', (entry) => entry.balance_after.reserved],
  ['spent_after', (entry) => entry.balance_after.spent],
  ['suspended_after', (entry) => entry.balance_after.suspended],
  ['task_id', (entry) => entry.task_id],
  ['note', (entry) => entry.note],
  ['reference', (entry) => entry.reference],
  ['id', (entry) => entry.id],
];

const usageColumns: readonly CsvColumn<UsageRow>[] = [
  ['day', (row) => row.day],
  ['model', (row) => row.model],
  ['resolution', (row) => row.resolution],
  ['status', (row) => row.status],
  ['tasks', (row) => row.tasks],
  ['credits', (row) => row.credits],
  ['key_id', (row) => row.key_id],
];
