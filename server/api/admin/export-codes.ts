/** Exports the redemption codes that match the filters as a file, without the codes themselves. */
import { ExportCodesQuery, RedemptionCode } from '@vidgen/contract/top-ups.ts';
import type { CsvColumn } from '../http/csv.ts';
import { codeFilterOf, listCodeViews } from './code-views.ts';
import { exportList } from './export-list.ts';
import { isoTimestamp } from './export-response.ts';

const columns: readonly CsvColumn<RedemptionCode>[] = [
  ['id', ({ id }) => id],
  ['last_four', ({ last_four }) => last_four],
  ['amount', ({ amount }) => amount],
  ['mode', ({ mode }) => mode],
  ['status', ({ status }) => status],
  ['note', ({ note }) => note],
  ['created_at', ({ created_at }) => isoTimestamp(created_at)],
  ['created_by', ({ created_by }) => created_by],
  ['expires_at', ({ expires_at }) => isoTimestamp(expires_at)],
  ['redeemed_at', ({ redeemed_at }) => isoTimestamp(redeemed_at)],
  ['account_id', ({ account_id }) => account_id],
];

export const exportCodes = exportList({
  operationId: 'exportRedemptionCodes',
  path: '/admin/redemption-codes/export',
  summary: 'Export redemption codes',
  description:
    'Returns every code that matches the filters of the list, without the codes themselves.',
  query: ExportCodesQuery,
  row: RedemptionCode,
  columns,
  contentName: 'redemption-codes',
  filterOf: codeFilterOf,
  list: listCodeViews,
});
