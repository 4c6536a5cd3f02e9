/** Lists the audit log: who changed what, newest first. */
import { ListAuditLogQuery, ListAuditLogResponse } from '@vidgen/contract/admin-audit.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { accountId, createdAt } from '../http/samples.ts';
import { auditFilterOf, listAuditViews } from './audit-log-list.ts';
import { listDescription } from './samples.ts';

const auditEntry = {
  id: '317',
  created_at: createdAt,
  actor: 'admin token',
  action: 'credits.grant',
  subject: accountId,
  detail: { amount: 1000, mode: 'live', note: 'Invoice 2026-017' },
  person: null,
};

export const listAuditLog = endpoint({
  parsesItself: true,
  operationId: 'listAuditLog',
  method: 'GET',
  path: '/admin/audit-log',
  summary: 'List the audit log',
  auth: 'admin',
  query: ListAuditLogQuery,
  responses: { 200: listDescription(ListAuditLogResponse, auditEntry) },
  async handler({ lifecycle }, { query }) {
    const filter = auditFilterOf(parseQuery(ListAuditLogQuery, query));
    const { items, nextCursor } = await listAuditViews(lifecycle.db, filter);
    return { body: { items, next_cursor: nextCursor } };
  },
});
