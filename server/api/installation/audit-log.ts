/** The audit log: who changed what, newest first. */
import {
  type AuditLogEntry,
  ListAuditLogQuery,
  ListAuditLogResponse,
} from '@vidgen/contract/admin-audit.ts';
import { type AuditEntry, type AuditFilter, listAuditEntries } from '../../accounts/audit-log.ts';
import { findPeopleNames } from '../../accounts/people/person.ts';
import { isUuid } from '../../accounts/uuid.ts';
import type { Queryable } from '../../database/database.ts';
import { type CsvColumn, fieldColumns } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { fileListDescription, listResponse } from '../http/list-response.ts';
import { accountId, createdAt } from '../http/samples.ts';
import { unixSeconds } from '../http/timestamps.ts';

const entrySample = {
  id: '317',
  created_at: createdAt,
  actor: 'admin token',
  action: 'credits.grant',
  subject: accountId,
  detail: { amount: 1000, mode: 'live', note: 'Invoice 2026-017' },
  person: null,
};

const listAuditLog = endpoint({
  operationId: 'listAuditLog',
  method: 'GET',
  path: '/admin/audit-log',
  summary: 'List the audit log',
  auth: 'admin',
  query: ListAuditLogQuery,
  responses: { 200: fileListDescription(ListAuditLogResponse, entrySample) },
  errors: { rate_limited: true },
  async handler(services, request) {
    const { subject, actor, action, account_id: accountId } = request.query;
    const { created_after: since, created_before: until } = request.query;
    const filter = { subject, actor, action, accountId, since, until };
    return await listResponse(services, request, {
      columns,
      contentName: 'audit-log',
      list: (db, limit) => listAuditEntries(db, { ...filter, limit }),
      read: (page) => listAuditViews(services.lifecycle.db, { ...filter, ...page }),
    });
  },
});

const columns: readonly CsvColumn<AuditLogEntry>[] = [
  ...fieldColumns('id', 'created_at', 'actor', 'action', 'subject'),
  ['detail', ({ detail }) => JSON.stringify(detail)],
  ['person', ({ person }) => person?.email ?? null],
];

async function listAuditViews(db: Queryable, filter: AuditFilter) {
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

export const auditLogEndpoints = [listAuditLog];
