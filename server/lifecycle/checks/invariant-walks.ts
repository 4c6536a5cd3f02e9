/**
 * The statements of the invariant checks. Each reads one slice of a table in the order of its key,
 * with the rows of other tables that belong to it, so that no statement reads a whole table. A
 * slice is one snapshot: rows that change together are compared together.
 */
import type { Balance } from '../../ledger/ledger.ts';

export type InvariantWalk = {
  readonly table: 'balances' | 'ledger' | 'tasks' | 'erased' | 'keys' | 'deliveries';
  /** Which rows of the slice `s` count as checked; none by default. */
  readonly counted?: string;
  /** Selects the offenders of the slice `s`. */
  readonly offenders: string;
};

export type InvariantRule = { readonly name: string; readonly walks: readonly InvariantWalk[] };

/** The slice after `$1`, at most `$2` rows, and the cursor of a row. Cursors are JSON arrays. */
const slices: Readonly<Record<InvariantWalk['table'], { from: string; cursor: string }>> = {
  balances: {
    from: `balances where $1 = '' or (account_id, mode) >
      (($1::jsonb ->> 0)::uuid, $1::jsonb ->> 1) order by account_id, mode`,
    cursor: 'jsonb_build_array(account_id, mode)::text',
  },
  ledger: {
    from: `ledger_entries where id > coalesce(nullif($1, ''), '0')::bigint order by id`,
    cursor: 'id::text',
  },
  tasks: { from: `tasks where id > $1 order by id`, cursor: 'id' },
  erased: { from: 'erased_tasks where id > $1 order by id', cursor: 'id' },
  keys: {
    from: `idempotency_keys where $1 = '' or (account_id, mode, key) >
      (($1::jsonb ->> 0)::uuid, $1::jsonb ->> 1, $1::jsonb ->> 2) order by account_id, mode, key`,
    cursor: 'jsonb_build_array(account_id, mode, key)::text',
  },
  deliveries: { from: 'deliveries where id > $1 order by id', cursor: 'id' },
};

/** Returns one row: the number of rows, the last cursor, the rows checked, and offenders. */
export function sliceStatement({ table, counted = 'false', offenders }: InvariantWalk): string {
  const { from, cursor } = slices[table];
  return `with s as materialized (
      select *, ${cursor} as cursor, row_number() over () as at
      from (select * from ${from} limit $2) slice
    )
    select (select count(*) from s)::int as rows,
      (select cursor from s order by at desc limit 1) as last,
      (select coalesce(sum((${counted})::int), 0) from s)::int as checked,
      array(select offender from (${offenders}) found (offender) limit 20) as offenders`;
}

/**
 * Joins the row that a unique index finds, if there is one. The limit keeps PostgreSQL from merging
 * or hashing all of the table for one slice.
 */
const joinOne = (alias: string, table: string, condition: string): string =>
  `left join lateral (select * from ${table} where ${condition} limit 1) ${alias} on true`;

/** For joins with `ledger_entries.task_id`, whose collation is not that of `tasks.id`. */
const idOfTask = 't.id collate "default"';

/** Selects the final tasks of the slice whose settlement is not the one they say. */
const unsettledSql = `select t.id from s t
  cross join lateral (
    select count(*) as n, max(amount) as amount, max(kind) as kind from ledger_entries
    where task_id = ${idOfTask} and kind in ('charge', 'refund', 'suspend')) e
  ${joinOne('r', 'ledger_entries', `task_id = ${idOfTask} and kind = 'release'`)}
  where (t.finished_at is null and e.n > 0)
    or (t.finished_at is not null and (
      e.n <> 1 or e.amount is distinct from t.credits
      or (t.billing_status = 'charged') is distinct from (e.kind = 'charge')
      or (t.billing_status = 'refunded') is distinct from
         (e.kind = 'refund' or (e.kind = 'suspend' and r.id is not null))
      or (t.billing_status = 'refund_failed') is distinct from
         (e.kind = 'suspend' and r.id is null)))`;

/** The change of one bucket of the balance by an entry. */
const movedSql = (bucket: keyof Balance): string =>
  `case '${bucket}' when s.target then s.amount when s.source then -s.amount else 0 end`;

const entryBefore = 'account_id = s.account_id and mode = s.mode and number = s.number - 1';

const buckets = ['available', 'reserved', 'spent', 'suspended'] as const;

export const rules: readonly InvariantRule[] = [
  {
    // Each entry follows from the one before it, and the balance is the last one: so the balance is
    // the sum of all entries.
    name: 'granted = available + reserved + spent + suspended',
    walks: [
      {
        table: 'balances',
        counted: 'true',
        offenders: `select s.account_id || ' ' || s.mode from s left join lateral (
            select * from ledger_entries e where e.account_id = s.account_id and e.mode = s.mode
            order by e.number desc limit 1) e on true
          where (s.last_entry, ${buckets.map((bucket) => `s.${bucket}`).join(', ')})
              is distinct from (e.number, ${buckets
                .map((bucket) => `coalesce(e.${bucket}_after, 0)`)
                .join(', ')})
            or s.granted <> s.available + s.reserved + s.spent + s.suspended`,
      },
      {
        table: 'ledger',
        offenders: `select s.account_id || ' ' || s.mode || ' entry ' || s.number from s
          ${joinOne('b', 'ledger_entries', entryBefore)}
          where (s.number > 1 and b.id is null)
            ${buckets
              .map(
                (bucket) =>
                  `or s.${bucket}_after <> coalesce(b.${bucket}_after, 0) + ${movedSql(bucket)}`,
              )
              .join('\n')}`,
      },
    ],
  },
  {
    name: 'reserved = sum over unsettled tasks',
    walks: [
      { table: 'tasks', counted: 'finished_at is null', offenders: 'select null where false' },
      {
        table: 'balances',
        offenders: `select s.account_id || ' ' || s.mode from s cross join lateral (
            select coalesce(sum(credits), 0) as credits from tasks t
            where t.account_id = s.account_id and t.mode = s.mode and t.finished_at is null) t
          where s.reserved <> t.credits`,
      },
    ],
  },
  {
    name: 'each final task has exactly one settlement, and it is the one its billing status says',
    walks: [
      { table: 'tasks', counted: 'finished_at is not null', offenders: unsettledSql },
      { table: 'erased', counted: 'true', offenders: unsettledSql },
    ],
  },
  {
    name: 'each acknowledged create exists',
    walks: [
      {
        table: 'ledger',
        counted: `kind = 'reserve'`,
        offenders: `select s.task_id from s ${joinOne('t', 'tasks', 'id = s.task_id')}
          ${joinOne('x', 'erased_tasks', 'id = s.task_id')}
          where s.kind = 'reserve' and ((t.id is null) = (x.id is null)
            or (coalesce(t.account_id, x.account_id), coalesce(t.mode, x.mode),
              coalesce(t.credits, x.credits)) is distinct from (s.account_id, s.mode, s.amount))`,
      },
      {
        table: 'tasks',
        offenders: `select t.id from s t
          ${joinOne('e', 'ledger_entries', `task_id = ${idOfTask} and kind = 'reserve'`)}
          ${joinOne('j', 'jobs', `task_id = t.id and kind in ('submit', 'poll')`)}
          where e.id is null or (t.finished_at is null) is distinct from (j.id is not null)`,
      },
      {
        table: 'erased',
        offenders: `select t.id from s t
          ${joinOne('e', 'ledger_entries', `task_id = ${idOfTask} and kind = 'reserve'`)}
          where e.id is null`,
      },
      {
        table: 'keys',
        offenders: `select s.task_id from s
          ${joinOne('t', 'tasks', 'id = s.task_id and credits = s.credits')}
          ${joinOne('x', 'erased_tasks', 'id = s.task_id and credits = s.credits')}
          where t.id is null and x.id is null`,
      },
    ],
  },
  {
    name: 'each final task with a callback_url has a delivery',
    walks: [
      {
        table: 'tasks',
        counted: 'callback_url is not null',
        offenders: `select t.id from s t ${joinOne('d', 'deliveries', 'task_id = t.id')}
          where (t.callback_url is not null and t.finished_at is not null)
            is distinct from (d.id is not null)`,
      },
      {
        table: 'deliveries',
        offenders: `select s.id from s
          ${joinOne('j', 'jobs', `delivery_id = s.id and kind = 'notify'`)}
          where (s.status = 'pending') is distinct from (j.id is not null)`,
      },
    ],
  },
];
