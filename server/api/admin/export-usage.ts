/** Exports the usage rows of an account as a file. */
import { Readable } from 'node:stream';
import { ExportUsageQuery, UsageRow } from '@vidgen/contract/usage.ts';
import { getAccount } from '../../accounts/account.ts';
import type { CsvColumn } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { exportDescription, exportResponse } from './export-response.ts';
import { usageFilterOf, usageRows } from './get-usage.ts';
import { exportLimit } from './session-limits.ts';

const usageColumns: readonly CsvColumn<UsageRow>[] = [
  ['day', (row) => row.day],
  ['model', (row) => row.model],
  ['resolution', (row) => row.resolution],
  ['status', (row) => row.status],
  ['tasks', (row) => row.tasks],
  ['credits', (row) => row.credits],
  ['key_id', (row) => row.key_id],
];

export const exportUsage = endpoint({
  parsesItself: true,
  operationId: 'exportUsage',
  method: 'GET',
  path: '/admin/accounts/:id/usage/export',
  summary: 'Export usage',
  description: 'Returns the rows that `GET /admin/accounts/{id}/usage` adds up.',
  auth: 'member',
  role: 'viewer',
  sessionLimit: exportLimit,
  query: ExportUsageQuery,
  responses: { 200: exportDescription(UsageRow) },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId, name: accountName } = await getAccount(db, request.params.id!);
    const { format, ...query } = parseQuery(ExportUsageQuery, request.query);
    const { rows, keys } = await usageRows(db, usageFilterOf(accountId, query));
    const names = new Map(keys.map(({ id, name }) => [id, name]));
    const columns: CsvColumn<UsageRow>[] = [
      ...usageColumns,
      ['key_name', ({ key_id }) => names.get(key_id) ?? null],
    ];
    const pages = Readable.from([rows]);
    return await exportResponse(pages, { format, columns, contentName: 'usage', accountName });
  },
});
