/**
 * Notices: conditions that people must know of. At most one is open for each condition, whichever
 * process observes it, and it can be raised again only after it was resolved. `raiseNotice` writes
 * one row; a worker then writes the mail and the webhook (`lifecycle/announce-notices.ts`).
 */
import type { NoticeKind } from '@vidgen/contract/notices.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { newMessageId, wakeSenders } from './outbox.ts';

type NoticeDetails = {
  readonly low_balance: { readonly available: number; readonly threshold: number };
  readonly refund_waiting: { readonly task_id: string; readonly credits: number };
  readonly provider_breaker_open: { readonly provider: string; readonly error: string | null };
  readonly webhook_failing: { readonly url: string; readonly deliveries: number };
  /** `period`: what the cap counts over, such as `day`, `month` or `total`. */
  readonly key_cap_reached: {
    readonly key_id: string;
    readonly key_name: string;
    readonly cap: number;
    readonly period: string;
  };
  /** Amounts in `currency`, of a day such as 2026-01-31. */
  readonly negative_margin: {
    readonly model: string;
    readonly provider: string;
    readonly day: string;
    readonly tasks: number;
    readonly revenue: number;
    readonly cost: number;
    readonly currency: string;
  };
  readonly cost_unknown: {
    readonly day: string;
    readonly attempts: number;
    readonly unknown: number;
  };
  readonly bill_differs: {
    readonly provider: string;
    readonly differs: number;
    readonly twice: number;
  };
  readonly model_retires: {
    readonly model: string;
    readonly retires: string;
    readonly days: number;
  };
  /** `problem`: of the first canary that failed. */
  readonly canary_failed: {
    readonly model: string;
    readonly provider: string;
    readonly day: string;
    readonly problem: string;
  };
};

export type NewNotice = {
  [Kind in NoticeKind]: {
    readonly kind: Kind;
    /** Null for the installation. */
    readonly accountId: string | null;
    /**
     * What tells this condition from others of its kind, up to 200 characters: a provider, a key
     * with its period, or empty if there can be only one.
     */
    readonly subject: string;
    readonly detail: NoticeDetails[Kind];
  };
}[NoticeKind];

export type Notice = NewNotice & {
  readonly id: string;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
};

/** Which condition a notice is about. */
type NoticeKey = Pick<NewNotice, 'kind' | 'accountId' | 'subject'>;

export const noticeColumns = `id, kind, account_id as "accountId", subject, detail,
  created_at as "createdAt", resolved_at as "resolvedAt"`;

/** Returns whether the notice is new. One that is open already is marked as seen again. */
export async function raiseNotice(tx: Transaction, notice: NewNotice): Promise<boolean> {
  const { kind, accountId, subject, detail } = notice;
  if (await touchNotice(tx, notice)) return false;
  const { rowCount } = await tx.query(
    `insert into notices (id, kind, account_id, subject, detail)
     values ($1, $2, $3, $4, $5::jsonb) on conflict do nothing`,
    [newMessageId('notice'), kind, accountId, subject, JSON.stringify(detail)],
  );
  if (rowCount > 0) await wakeSenders(tx);
  return rowCount > 0;
}

/** Returns whether the notice is open. Written once a minute at most. */
export async function touchNotice(tx: Queryable, key: NoticeKey): Promise<boolean> {
  const { rows } = await tx.query<{ id: string; isOld: boolean }>(
    `select id, seen_at < now() - interval '1 minute' as "isOld" from notices
     where ${isOpen(key)}`,
    [key.kind, key.accountId, key.subject],
  );
  const [open] = rows;
  if (open?.isOld) await tx.query('update notices set seen_at = now() where id = $1', [open.id]);
  return open !== undefined;
}

/** `is not distinct from` would not use the index. */
const isOpen = ({ accountId }: NoticeKey): string =>
  `kind = $1 and account_id ${accountId === null ? 'is not distinct from' : '='} $2::uuid
   and subject = $3 and resolved_at is null`;

/** Arms the notice again. Returns whether it was open. */
export async function resolveNotice(tx: Queryable, key: NoticeKey): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update notices set resolved_at = now() where ${isOpen(key)}`,
    [key.kind, key.accountId, key.subject],
  );
  return rowCount > 0;
}

/** Resolves the notices of a kind that no process has seen for a while. */
export async function resolveUnseen(
  tx: Queryable,
  { kind, afterSeconds }: { readonly kind: NoticeKind; readonly afterSeconds: number },
): Promise<void> {
  await tx.query(
    `update notices set resolved_at = now()
     where kind = $1 and resolved_at is null and seen_at < now() - make_interval(secs => $2)`,
    [kind, afterSeconds],
  );
}

export async function listOpenNotices<Kind extends NoticeKind>(
  db: Queryable,
  kind: Kind,
): Promise<Extract<Notice, { readonly kind: Kind }>[]> {
  const { rows } = await db.query<Extract<Notice, { readonly kind: Kind }>>(
    `select ${noticeColumns} from notices
     where kind = $1 and resolved_at is null order by id limit 1000`,
    [kind],
  );
  return rows;
}

export type UnannouncedNotice = Notice & {
  /** Whether the same condition was announced in the last hour. */
  readonly isRepeated: boolean;
};

/** Locks notices that no mail and webhook were written for yet, and marks them as announced. */
export async function takeUnannounced(
  tx: Transaction,
  { limit }: { readonly limit: number },
): Promise<UnannouncedNotice[]> {
  const { rows } = await tx.query<UnannouncedNotice>(
    `update notices n set announced_at = now()
     where id in (select id from notices where announced_at is null order by id limit $1
       for update skip locked)
     returning ${noticeColumns}, case when account_id is null
       then exists (select 1 from notices e where e.account_id is null and ${isEarlier})
       else exists (select 1 from notices e where e.account_id = n.account_id and ${isEarlier})
     end as "isRepeated"`,
    [limit],
  );
  return rows;
}

const isEarlier = `e.id < n.id and e.kind = n.kind and e.subject = n.subject
  and e.announced_at > now() - interval '1 hour'`;

const keptDays = 90;

export async function deleteOldNotices(db: Queryable): Promise<void> {
  await db.query(
    `delete from notices where id in (
       select id from notices where resolved_at < now() - interval '${keptDays} days'
       order by resolved_at limit 10000)`,
  );
}

/** Deletes what an account and erased people were told, and what waits to be sent to them. */
export async function eraseMessages(
  tx: Transaction,
  {
    accountId,
    people,
  }: { accountId: string; people: readonly { readonly id: string; readonly email: string }[] },
): Promise<void> {
  await tx.query('delete from outbox where account_id = $1 or lower(recipient) = any($2::text[])', [
    accountId,
    people.map(({ email }) => email.toLowerCase()),
  ]);
  await tx.query('delete from notices where account_id = $1', [accountId]);
  const ids = people.map(({ id }) => id);
  for (const table of ['notice_readings', 'notice_dismissals']) {
    await tx.query(`delete from ${table} where person_id = any($1::uuid[])`, [ids]);
  }
}
