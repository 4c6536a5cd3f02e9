/**
 * The five invariants of the service, recomputed from every row. Each check lists its offenders; an
 * empty list is the proof. Reads whole tables, of all modules: for admins and tests, not for
 * requests. No other file of the lifecycle contains SQL.
 */
import type { Queryable } from '../database/database.ts';
import type { Balance } from '../ledger/ledger.ts';

export type InvariantCheck = {
  readonly name: string;
  readonly ok: boolean;
  /** How many rows were checked. */
  readonly checked: number;
  /** At most 20 of those that break the rule. */
  readonly offenders: readonly string[];
};

type InvariantRule = { readonly name: string; readonly count: string; readonly offenders: string };

/** The change of one bucket of the balance by an entry. */
const movedSql = (bucket: keyof Balance): string =>
  `case '${bucket}' when target then amount when source then -amount else 0 end`;

const rules: readonly InvariantRule[] = [
  {
    // Also: each entry follows from the one before it, and the balance is the sum of all entries.
    name: 'granted = available + reserved + spent + suspended',
    count: 'select count(*) as n from balances',
    offenders: `
      with steps as (
        select account_id, mode, number, amount, source, target,
          available_after, reserved_after, spent_after, suspended_after,
          lag(number, 1, 0) over w as number_before,
          lag(available_after, 1, 0) over w as available_before,
          lag(reserved_after, 1, 0) over w as reserved_before,
          lag(spent_after, 1, 0) over w as spent_before,
          lag(suspended_after, 1, 0) over w as suspended_before
        from ledger_entries window w as (partition by account_id, mode order by number)
      ), sums as (
        select account_id, mode,
          sum(case when source = 'outside' then amount else 0 end) as granted,
          ${(['available', 'reserved', 'spent', 'suspended'] as const)
            .map((bucket) => `sum(${movedSql(bucket)}) as ${bucket}`)
            .join(', ')}
        from ledger_entries group by account_id, mode
      )
      select b.account_id || ' ' || b.mode as offender from balances b
      left join sums s on s.account_id = b.account_id and s.mode = b.mode
      where (b.granted, b.available, b.reserved, b.spent, b.suspended) is distinct from
            (coalesce(s.granted, 0), coalesce(s.available, 0), coalesce(s.reserved, 0),
             coalesce(s.spent, 0), coalesce(s.suspended, 0))
         or b.granted <> b.available + b.reserved + b.spent + b.suspended
      union
      select account_id || ' ' || mode || ' entry ' || number from steps
      where number <> number_before + 1
         or available_after <> available_before + ${movedSql('available')}
         or reserved_after <> reserved_before + ${movedSql('reserved')}
         or spent_after <> spent_before + ${movedSql('spent')}
         or suspended_after <> suspended_before + ${movedSql('suspended')}`,
  },
  {
    name: 'reserved = sum over unsettled tasks',
    count: 'select count(*) as n from tasks where finished_at is null',
    offenders: `
      select b.account_id || ' ' || b.mode as offender from balances b
      left join (
        select account_id, mode, sum(credits) as credits from tasks
        where billing_status = 'reserved' group by account_id, mode
      ) t on t.account_id = b.account_id and t.mode = b.mode
      where b.reserved <> coalesce(t.credits, 0)`,
  },
  {
    name: 'each final task has exactly one settlement, and it is the one its billing status says',
    count: 'select count(*) as n from tasks where finished_at is not null',
    offenders: `
      select t.id as offender from tasks t
      left join (
        select task_id, count(*) as n, max(amount) as amount, max(kind) as kind from ledger_entries
        where kind in ('charge', 'refund', 'suspend') group by task_id
      ) s on s.task_id = t.id
      left join ledger_entries r on r.task_id = t.id and r.kind = 'release'
      where (t.finished_at is null and s.n is not null)
         or (t.finished_at is not null and (
              s.n is distinct from 1 or s.amount is distinct from t.credits
              or (t.billing_status = 'charged') is distinct from (s.kind = 'charge')
              or (t.billing_status = 'refunded') is distinct from
                 (s.kind = 'refund' or (s.kind = 'suspend' and r.id is not null))
              or (t.billing_status = 'refund_failed') is distinct from
                 (s.kind = 'suspend' and r.id is null)))`,
  },
  {
    name: 'each acknowledged create exists',
    count: `select count(*) as n from ledger_entries where kind = 'reserve'`,
    offenders: `
      select coalesce(e.task_id, t.id) as offender
      from (select task_id, account_id, mode, amount from ledger_entries where kind = 'reserve') e
      full join tasks t on t.id = e.task_id
      where t.id is null or e.task_id is null
         or (t.account_id, t.mode, t.credits) is distinct from (e.account_id, e.mode, e.amount)
      union
      select k.task_id from idempotency_keys k
      left join tasks t on t.id = k.task_id and t.credits = k.credits where t.id is null
      union
      select t.id from tasks t
      left join jobs j on j.task_id = t.id and j.kind in ('submit', 'poll')
      where (t.finished_at is null) is distinct from (j.id is not null)`,
  },
  {
    name: 'each final task with a callback_url has a delivery',
    count: 'select count(*) as n from tasks where callback_url is not null',
    offenders: `
      select t.id as offender from tasks t left join deliveries d on d.task_id = t.id
      where (t.callback_url is not null and t.finished_at is not null)
        is distinct from (d.id is not null)
      union
      select d.id from deliveries d
      left join jobs j on j.delivery_id = d.id and j.kind = 'notify'
      where (d.status = 'pending') is distinct from (j.id is not null)`,
  },
];

export async function checkInvariants(
  db: Queryable,
): Promise<{ ok: boolean; checks: InvariantCheck[] }> {
  const checks: InvariantCheck[] = [];
  for (const { name, count, offenders } of rules) {
    const { rows: counted } = await db.query<{ n: number }>(count);
    const { rows } = await db.query<{ offender: string }>(`${offenders} limit 20`);
    const found = rows.map(({ offender }) => offender);
    checks.push({ name, ok: found.length === 0, checked: counted[0]?.n ?? 0, offenders: found });
  }
  return { ok: checks.every(({ ok }) => ok), checks };
}
