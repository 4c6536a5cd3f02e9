/** Exports the ledger entries of an account as a file. */
import { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { ExportLedgerQuery } from '@vidgen/contract/usage.ts';
import { getAccount } from '../../accounts/account.ts';
import { listEntries } from '../../ledger/entries.ts';
import type { CsvColumn } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import {
  exportDescription,
  exportResponse,
  isoTimestamp,
  pageRows,
  readPages,
} from './export-response.ts';
import { exportLimit } from './session-limits.ts';
import { entryView } from './views.ts';

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

export const exportLedger = endpoint({
  parsesItself: true,
  operationId: 'exportLedger',
  method: 'GET',
  path: '/admin/accounts/:id/ledger/export',
  summary: 'Export credit history',
  description: 'Returns every entry that matches the filters of the list.',
  auth: 'member',
  role: 'viewer',
  sessionLimit: exportLimit,
  query: ExportLedgerQuery,
  responses: { 200: exportDescription(LedgerEntry) },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId, name: accountName } = await getAccount(db, request.params.id!);
    const { format, mode, kind, task_id: taskId } = parseQuery(ExportLedgerQuery, request.query);
    const filter = { accountId, mode, kind, taskId, limit: pageRows };
    const right = { reauthorize: () => request.reauthorize(db, { lock: false }) };
    const pages = readPages(async (last: LedgerEntry | undefined) => {
      const beforeId = last === undefined ? undefined : Number(last.id);
      return (await listEntries(db, { ...filter, beforeId })).map(entryView);
    }, right);
    const options = { format, columns: entryColumns, contentName: 'credits', accountName };
    return await exportResponse(pages, options);
  },
});
