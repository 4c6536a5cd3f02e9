/** What the audit log and its export share. */
import type { AuditLogEntry, ListAuditLogQuery } from '@vidgen/contract/admin-audit.ts';
import { type AuditEntry, type AuditFilter, listAuditEntries } from '../../accounts/audit-log.ts';
import { findPeopleNames } from '../../accounts/people/person.ts';
import { isUuid } from '../../accounts/uuid.ts';
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
  const personIds = page.items.map(personIdOf);
  const people = await findPeopleNames(
    db,
    personIds.filter((id) => id !== null),
  );
  const items = page.items.map(({ at, ...entry }, index) => ({
    ...entry,
    created_at: unixSeconds(at),
    person: people.get(personIds[index] ?? '') ?? null,
  }));
  return { items, nextCursor: page.nextCursor };
}

/** Entries about people have their ID as the subject, those about members in the detail. */
function personIdOf({ action, subject, detail }: AuditEntry): string | null {
  const id = /^(person|administrator)\./.test(action) ? subject : detail.person;
  return typeof id === 'string' && isUuid(id) ? id : null;
}
