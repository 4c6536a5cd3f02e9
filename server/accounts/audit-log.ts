/**
 * The audit log: which admin did what to which account, key, task or delivery. An action is
 * recorded in the transaction that performs it; a trigger makes the table append-only.
 */
import type { AuditAction } from '@vidgen/contract/admin-audit.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { cursorOf, type Page, type PageRequest, pageOf } from '../database/page.ts';

export type AuditEntry = {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

export async function recordAudit(
  tx: Transaction,
  entry: {
    actor: string;
    action: AuditAction;
    subject: string;
    detail?: Readonly<Record<string, unknown>>;
    /** The account of the subject, unless it is the subject. */
    accountId?: string;
  },
): Promise<void> {
  await tx.query(
    `insert into audit_log (actor, action, subject, detail, account_id)
     values ($1, $2, $3, $4::jsonb, $5)`,
    [
      entry.actor,
      entry.action,
      entry.subject,
      JSON.stringify(entry.detail ?? {}),
      entry.accountId ?? null,
    ],
  );
}

export type AuditFilter = PageRequest & {
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  /** An action, or with a dot at the end the beginning of several: `task.`. */
  readonly action?: string | undefined;
  /** What was done to the account, its keys and its tasks. */
  readonly accountId?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
};

/** Each part is sorted by ID in an index. Older releases wrote a key without its account. */
const accountParts = [
  'subject = $3::text',
  'account_id = $3::uuid',
  'subject in (select id from api_keys where account_id = $3::uuid)',
];

/** Newest first. */
export async function listAuditEntries(
  db: Queryable,
  request: AuditFilter,
): Promise<Page<AuditEntry>> {
  const { action, since, until } = request;
  const entriesSql = (condition: string) =>
    `select id, at, actor, action, subject, detail from audit_log
      where ($1::bigint is null or id < $1::bigint) and ($4::text is null or subject = $4)
        and ($5::text is null or actor = $5) and ($6::text is null or action = $6)
        and ($7::text is null or starts_with(action, $7))
        and ($8::timestamptz is null or at >= $8) and ($9::timestamptz is null or at < $9)
        and ${condition} order by id desc limit $2`;
  const parts = request.accountId === undefined ? ['$3::text is null'] : accountParts;
  const { rows } = await db.query<AuditEntry>(
    `select distinct on (found.id) id::text as id, at, actor, action, subject, detail from (
       ${parts.map((part) => `(${entriesSql(part)})`).join(' union all ')}) found
     order by found.id desc limit $2`,
    [
      cursorOf(request, /^[0-9]{1,18}$/),
      request.limit + 1,
      request.accountId ?? null,
      request.subject ?? null,
      request.actor ?? null,
      (action?.endsWith('.') ? null : action) ?? null,
      (action?.endsWith('.') ? action : null) ?? null,
      since?.toISOString() ?? null,
      until?.toISOString() ?? null,
    ],
  );
  return pageOf(rows, request.limit);
}
