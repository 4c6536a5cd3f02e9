/** Exports the entries of the audit log that match the filters as a file. */
import { AuditLogEntry, ExportAuditLogQuery } from '@vidgen/contract/admin-audit.ts';
import type { CsvColumn } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { auditFilterOf, listAuditViews } from './audit-log-list.ts';
import {
  exportDescription,
  exportResponse,
  isoTimestamp,
  pageRows,
  readCursorPages,
} from './export-response.ts';
import { exportLimit } from './session-limits.ts';

const columns: readonly CsvColumn<AuditLogEntry>[] = [
  ['id', ({ id }) => id],
  ['created_at', ({ created_at }) => isoTimestamp(created_at)],
  ['actor', ({ actor }) => actor],
  ['action', ({ action }) => action],
  ['subject', ({ subject }) => subject],
  ['detail', ({ detail }) => JSON.stringify(detail)],
];

export const exportAuditLog = endpoint({
  operationId: 'exportAuditLog',
  method: 'GET',
  path: '/admin/audit-log/export',
  summary: 'Export the audit log',
  description: 'Exactly what the same filters list, all of it.',
  auth: 'admin',
  sessionLimit: exportLimit,
  query: ExportAuditLogQuery,
  responses: { 200: exportDescription(AuditLogEntry) },
  async handler({ lifecycle: { db } }, request) {
    const { format, ...query } = parseQuery(ExportAuditLogQuery, request.query);
    const filter = auditFilterOf({ ...query, limit: pageRows });
    const pages = readCursorPages((cursor) => listAuditViews(db, { ...filter, cursor }), {
      reauthorize: () => request.reauthorize(db, { lock: false }),
    });
    return await exportResponse(pages, { format, columns, contentName: 'audit-log' });
  },
});
