/** Exports the entries of the audit log that match the filters as a file. */
import { AuditLogEntry, ExportAuditLogQuery } from '@vidgen/contract/admin-audit.ts';
import type { CsvColumn } from '../http/csv.ts';
import { auditFilterOf, listAuditViews } from './audit-log-list.ts';
import { exportList } from './export-list.ts';
import { isoTimestamp } from './export-response.ts';

const columns: readonly CsvColumn<AuditLogEntry>[] = [
  ['id', ({ id }) => id],
  ['created_at', ({ created_at }) => isoTimestamp(created_at)],
  ['actor', ({ actor }) => actor],
  ['action', ({ action }) => action],
  ['subject', ({ subject }) => subject],
  ['detail', ({ detail }) => JSON.stringify(detail)],
  ['person', ({ person }) => person?.email ?? null],
];

export const exportAuditLog = exportList({
  operationId: 'exportAuditLog',
  path: '/admin/audit-log/export',
  summary: 'Export the audit log',
  query: ExportAuditLogQuery,
  row: AuditLogEntry,
  columns,
  contentName: 'audit-log',
  filterOf: auditFilterOf,
  list: listAuditViews,
});
