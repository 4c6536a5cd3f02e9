/**
 * The audit log: which admin did what to which account, key, task or delivery. An action is
 * recorded in the transaction that performs it; a trigger makes the table append-only.
 */
import type { Queryable, Transaction } from '../database/database.ts';
import { cursorOf, type Page, type PageRequest, pageOf } from './page.ts';

type AuditEntry = {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  /** The ID of the changed object. */
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

export async function recordAudit(
  tx: Transaction,
  entry: {
    actor: string;
    action: string;
    subject: string;
    detail?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await tx.query(
    `insert into operator_actions (actor, action, subject, detail) values ($1, $2, $3, $4::jsonb)`,
    [entry.actor, entry.action, entry.subject, JSON.stringify(entry.detail ?? {})],
  );
}

/** Newest first, for one subject or for all. */
export async function listAuditEntries(
  db: Queryable,
  request: PageRequest & { readonly subject?: string | undefined },
): Promise<Page<AuditEntry>> {
  const { rows } = await db.query<AuditEntry>(
    `select id::text as id, at, actor, action, subject, detail from operator_actions
      where ($1::text is null or subject = $1) and ($2::bigint is null or id < $2::bigint)
      order by operator_actions.id desc limit $3`,
    [request.subject ?? null, cursorOf(request, /^[0-9]{1,18}$/), request.limit + 1],
  );
  return pageOf(rows, request.limit);
}
