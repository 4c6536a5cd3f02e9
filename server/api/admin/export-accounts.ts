/** Exports the accounts that match the filters as a file. */
import { ExportAccountsQuery, ListedAccount } from '@vidgen/contract/admin-accounts.ts';
import type { CsvColumn } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { accountFilterOf, listAccountViews } from './account-list.ts';
import {
  exportDescription,
  exportResponse,
  isoTimestamp,
  pageRows,
  readCursorPages,
} from './export-response.ts';
import { exportLimit } from './session-limits.ts';

const accountColumns: readonly CsvColumn<ListedAccount>[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['created_at', ({ created_at }) => isoTimestamp(created_at)],
  ['suspended_at', ({ suspended_at }) => isoTimestamp(suspended_at)],
  ['closed_at', ({ closed_at }) => isoTimestamp(closed_at)],
  ['last_task_at', ({ last_task_at }) => isoTimestamp(last_task_at)],
  ['live_available', ({ balance }) => balance.live.available],
  ['live_reserved', ({ balance }) => balance.live.reserved],
  ['live_suspended', ({ balance }) => balance.live.suspended],
  ['test_available', ({ balance }) => balance.test.available],
];

export const exportAccounts = endpoint({
  operationId: 'exportAccounts',
  method: 'GET',
  path: '/admin/accounts/export',
  summary: 'Export accounts',
  description: 'Exactly what the same filters list, all of it.',
  auth: 'admin',
  sessionLimit: exportLimit,
  query: ExportAccountsQuery,
  responses: { 200: exportDescription(ListedAccount) },
  async handler({ lifecycle: { db } }, request) {
    const { format, ...query } = parseQuery(ExportAccountsQuery, request.query);
    const filter = accountFilterOf({ ...query, limit: pageRows });
    const pages = readCursorPages((cursor) => listAccountViews(db, { ...filter, cursor }), {
      reauthorize: () => request.reauthorize(db, { lock: false }),
    });
    return await exportResponse(pages, {
      format,
      columns: accountColumns,
      contentName: 'accounts',
    });
  },
});
