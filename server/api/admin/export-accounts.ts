/** Exports the accounts that match the filters as a file. */
import { ExportAccountsQuery, ListedAccount } from '@vidgen/contract/admin-accounts.ts';
import type { CsvColumn } from '../http/csv.ts';
import { accountFilterOf, listAccountViews } from './account-list.ts';
import { exportList } from './export-list.ts';
import { isoTimestamp } from './export-response.ts';

const columns: readonly CsvColumn<ListedAccount>[] = [
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

export const exportAccounts = exportList({
  operationId: 'exportAccounts',
  path: '/admin/accounts/export',
  summary: 'Export accounts',
  query: ExportAccountsQuery,
  row: ListedAccount,
  columns,
  contentName: 'accounts',
  filterOf: accountFilterOf,
  list: listAccountViews,
});
