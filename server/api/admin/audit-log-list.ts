/** What the audit log and its export share. */
import type { AuditLogEntry, ListAuditLogQuery } from '@vidgen/contract/admin-audit.ts';
import { type AuditFilter, listAuditEntries } from '../../accounts/audit-log.ts';
import type { Queryable } from '../../database/database.ts';
import { unixSeconds } from '../http/timestamps.ts';

export const auditFilterOf = (query: ListAuditLogQuery): AuditFilter => ({
  subject: query.subject,
  actor: query.actor,
  action: query.action,
  accountId: query.account_id,
  since: query.created_after,
  until: query.created_before,
  cursor: query.cursor,
  limit: query.limit,
});

export async function listAuditViews(
  db: Queryable,
  filter: AuditFilter,
): Promise<{ items: AuditLogEntry[]; nextCursor: string | null }> {
  const page = await listAuditEntries(db, filter);
  const items = page.items.map(({ at, ...entry }) => ({ ...entry, created_at: unixSeconds(at) }));
  return { items, nextCursor: page.nextCursor };
}
