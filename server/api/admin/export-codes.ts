/** Exports the redemption codes that match the filters as a file, without the codes themselves. */
import { ExportCodesQuery, RedemptionCode } from '@vidgen/contract/top-ups.ts';
import type { CsvColumn } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { codeFilterOf, listCodeViews } from './code-views.ts';
import {
  exportDescription,
  exportResponse,
  isoTimestamp,
  pageRows,
  readCursorPages,
} from './export-response.ts';
import { exportLimit } from './session-limits.ts';

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

export const exportCodes = endpoint({
  operationId: 'exportRedemptionCodes',
  method: 'GET',
  path: '/admin/redemption-codes/export',
  summary: 'Export redemption codes',
  description: 'Exactly what the same filters list, all of it; never the codes themselves.',
  auth: 'admin',
  sessionLimit: exportLimit,
  query: ExportCodesQuery,
  responses: { 200: exportDescription(RedemptionCode) },
  async handler({ lifecycle: { db } }, request) {
    const { format, ...query } = parseQuery(ExportCodesQuery, request.query);
    const filter = codeFilterOf({ ...query, limit: pageRows });
    const pages = readCursorPages((cursor) => listCodeViews(db, { ...filter, cursor }), {
      reauthorize: () => request.reauthorize(db, { lock: false }),
    });
    return await exportResponse(pages, { format, columns, contentName: 'redemption-codes' });
  },
});
