/**
 * Fills an account with many tasks by SQL, since a million requests take hours. Ledger, tasks and
 * jobs are consistent, so that the invariant checks pass.
 */
import type { Database, Transaction } from '../../../server/database/database.ts';
import { receiverBucketSql } from '../../../server/queue/enqueue.ts';
import { generationOf } from '../../kit/seed.ts';

export type BacklogOptions = {
  readonly accountId: string;
  readonly keyId: string;
  readonly tasks: number;
  /** The number of tasks that were filled before; numbering continues from there. */
  readonly after?: number;
};

const credits = 1;
const chunk = 50_000;
/** 26 digits, an ID of 1970 that the service never makes. */
const taskIdOf = `'task_' || lpad(n::text, 26, '0')`;

/** Queued tasks: credits reserved, with a submit job that has been due for an hour. */
export async function fillBacklog(db: Database, backlog: BacklogOptions): Promise<void> {
  await fill(db, backlog, async (tx, range) => {
    await insertTasks(tx, { ...backlog, ...range, end: null });
    await reserve(tx, { ...backlog, ...range });
    await tx.query(
      `insert into jobs (kind, queue, account_id, task_id, run_at)
       select 'submit', 'default', $1, ${taskIdOf}, now() - interval '1 hour'
       from generate_series($2::int, $3::int) n`,
      [backlog.accountId, range.from, range.to],
    );
  });
}

/** Failed and refunded tasks with a webhook that is due. */
export async function fillUndelivered(
  db: Database,
  backlog: BacklogOptions & { readonly receiverUrl: string },
): Promise<void> {
  await fill(db, backlog, async (tx, range) => {
    await insertTasks(tx, { ...backlog, ...range, end: backlog.receiverUrl });
    await reserve(tx, { ...backlog, ...range });
    await refund(tx, { ...backlog, ...range });
    await tx.query(
      `with made as (
         insert into deliveries (id, account_id, task_id, mode, url, body)
         select 'msg_' || lpad(n::text, 26, '0'), $1, ${taskIdOf}, 'live', $4,
           json_build_object('id', ${taskIdOf}, 'status', 'failed')::text
         from generate_series($2::int, $3::int) n returning id, task_id)
       insert into jobs (kind, queue, account_id, task_id, delivery_id, receiver)
       select 'notify', 'webhooks', $1, task_id, id, ${receiverBucketSql('$4::text')} from made`,
      [backlog.accountId, range.from, range.to, backlog.receiverUrl],
    );
  });
}

type NumberRange = { readonly from: number; readonly to: number };

/** In chunks: one transaction of a million rows would hold its locks for minutes. */
async function fill(
  db: Database,
  { tasks, after = 0 }: BacklogOptions,
  write: (tx: Transaction, range: NumberRange) => Promise<void>,
): Promise<void> {
  for (let from = after + 1; from <= after + tasks; from += chunk) {
    const to = Math.min(after + tasks, from + chunk - 1);
    await db.transaction((tx) => write(tx, { from, to }));
  }
  // Autovacuum would do this later, during the measurement.
  await db.query('vacuum (analyze) tasks, jobs, ledger_entries, deliveries');
  await db.query('checkpoint');
}

async function insertTasks(
  tx: Transaction,
  {
    accountId,
    keyId,
    from,
    to,
    end,
  }: BacklogOptions & NumberRange & { readonly end: string | null },
): Promise<void> {
  await tx.query(
    `insert into tasks (id, account_id, key_id, mode, model, generation, credits, deadline_at,
       callback_url, status, billing_status, failed_reason, finished_at)
     select ${taskIdOf}, $1, $2, 'live', 'vidgen-2-0-mini', $3::jsonb, ${credits},
       now() + interval '1 day', $6::text,
       case when $6::text is null then 'queued' else 'failed' end,
       case when $6::text is null then 'reserved' else 'refunded' end,
       case when $6::text is null then null else 'provider_failed' end,
       case when $6::text is null then null else now() end
     from generate_series($4::int, $5::int) n`,
    [accountId, keyId, JSON.stringify(generationOf()), from, to, end],
  );
}

const reserve = (tx: Transaction, range: BacklogOptions & NumberRange) =>
  insertLedgerEntries(tx, {
    ...range,
    kind: 'reserve',
    source: 'available',
    target: 'reserved',
    sign: 1,
  });
const refund = (tx: Transaction, range: BacklogOptions & NumberRange) =>
  insertLedgerEntries(tx, {
    ...range,
    kind: 'refund',
    source: 'reserved',
    target: 'available',
    sign: -1,
  });

/** Each entry continues the one before, and the balance is that of the last entry. */
async function insertLedgerEntries(
  tx: Transaction,
  {
    accountId,
    from,
    to,
    kind,
    source,
    target,
    sign,
  }: BacklogOptions & NumberRange & { kind: string; source: string; target: string; sign: 1 | -1 },
): Promise<void> {
  await tx.query(
    `insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
       available_after, reserved_after, spent_after, suspended_after, task_id)
     select b.account_id, b.mode, b.last_entry + n - $2 + 1, $4, $5, $6, ${credits},
       b.available - $7 * ${credits} * (n - $2 + 1), b.reserved + $7 * ${credits} * (n - $2 + 1),
       b.spent, b.suspended, ${taskIdOf}
     from balances b cross join generate_series($2::int, $3::int) n
     where b.account_id = $1 and b.mode = 'live' order by n`,
    [accountId, from, to, kind, source, target, sign],
  );
  await tx.query(
    `update balances set available = available - $3 * $2::bigint, reserved = reserved + $3 * $2,
       last_entry = last_entry + $4
     where account_id = $1 and mode = 'live'`,
    [accountId, credits * (to - from + 1), sign, to - from + 1],
  );
}
