/**
 * What live tasks earned and cost, by day of their creation, account, model and provider. Past days
 * are added up with `installation_days`; the others are read from the attempts themselves. A cost
 * that is learned later changes both in one commit.
 */
import type { CostSource } from '@vidgen/contract/costs.ts';
import type { MarginDimension } from '@vidgen/contract/margin.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { creditMicrosAt, firstCreditMicros } from './credit-values.ts';
import { idsSince, idsUntil } from './task-id.ts';
import type { Period } from './usage-days.ts';

/**
 * Attempts that a provider may have billed: it had the task, or may have had it. Those without a
 * cost are unknown.
 */
export const isBillable = `(a.outcome not in ('throttled', 'refused')
  and (a.operation is not null or a.unanswered))`;

const taskColumns = 'id, account_id, model, billing_status, credits, created_at, finished_at';
const isIn = `mode = 'live' and id >= $3 and id < $4
  and created_at >= $1::timestamptz and created_at < $2::timestamptz`;

/**
 * Of tasks from `$1` to `$2` by time and `$3` to `$4` by ID. Exactly one attempt of a charged task
 * completed it.
 */
const marginRowsSql = `
  select (t.created_at at time zone 'UTC')::date as day, t.account_id, t.model, a.provider,
    count(*) filter (where charged) as tasks,
    coalesce(sum(t.credits) filter (where charged), 0) as credits,
    sum(t.credits * ${creditMicrosAt('t.finished_at')}) filter (where charged) as revenue_micros,
    count(*) filter (where billable) as attempts,
    coalesce(sum(a.cost_micros), 0) as cost_micros,
    count(*) filter (where billable and a.cost_micros is null) as cost_unknown
  from (select ${taskColumns} from tasks where ${isIn}
        union all select ${taskColumns} from erased_tasks where ${isIn}) t
  join attempts a on a.task_id = t.id
  cross join lateral (select ${isBillable} as billable,
    a.outcome = 'completed' and t.billing_status = 'charged' as charged) is_
  where a.outcome is not null and (billable or a.cost_micros > 0)
  group by 1, 2, 3, 4`;

/** Adds a day that is over; all of its tasks are final. */
export async function addMarginDay(tx: Transaction, { since, until }: Period): Promise<void> {
  await tx.query(
    `insert into margin_days (day, account_id, model, provider, tasks, credits,
       revenue_micros, attempts, cost_micros, cost_unknown) ${marginRowsSql}`,
    [since.toISOString(), until.toISOString(), idsSince(since), idsUntil(until)],
  );
}

export type MarginFilter = Period & {
  readonly accountId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
};

export type Figures = {
  /** Completed and charged. */
  readonly tasks: number;
  readonly credits: number;
  /** At the values of a credit when they were charged; 0 before there was any. */
  readonly revenueMicros: number;
  readonly costMicros: number;
  /** Attempts that a provider may have billed and whose cost is not known. */
  readonly costUnknown: number;
};

export const noFigures: Figures = {
  tasks: 0,
  credits: 0,
  revenueMicros: 0,
  costMicros: 0,
  costUnknown: 0,
};

export const addFigures = (one: Figures, other: Figures): Figures => ({
  tasks: one.tasks + other.tasks,
  credits: one.credits + other.credits,
  revenueMicros: one.revenueMicros + other.revenueMicros,
  costMicros: one.costMicros + other.costMicros,
  costUnknown: one.costUnknown + other.costUnknown,
});

export type MarginRow = Figures & {
  /** A day such as `2026-01-31`, or the ID or name of what the rows are added up by. */
  readonly key: string;
  readonly attempts: number;
  /** Its place among rows of which the largest come first: 0 in the order of keys. */
  readonly size: number;
};
export type MarginCursor = Pick<MarginRow, 'size' | 'key'>;

const sums = `sum(tasks)::bigint as tasks, sum(credits)::bigint as credits,
  coalesce(sum(coalesce(revenue_micros, credits * ${firstCreditMicros})), 0)::bigint
    as "revenueMicros",
  sum(attempts)::bigint as attempts, sum(cost_micros)::bigint as "costMicros",
  sum(cost_unknown)::bigint as "costUnknown"`;

const keys = {
  day: `to_char(day, 'YYYY-MM-DD')`,
  account: 'account_id::text',
  model: 'model',
  provider: 'provider',
  /** All rows as one; none if there are none. */
  total: `'total'`,
} as const satisfies Record<MarginDimension | 'total', string>;

/** Of whole days in UTC, after the last row of the page before. */
export async function readMargin(
  db: Queryable,
  filter: MarginFilter,
  page: {
    readonly by: keyof typeof keys;
    /** By revenue or cost, whichever is more, instead of by `key`. */
    readonly largestFirst?: boolean;
    readonly after?: MarginCursor | undefined;
    readonly max: number;
  },
): Promise<MarginRow[]> {
  const { by, largestFirst, after, max } = page;
  const size = largestFirst ? 'greatest("revenueMicros", "costMicros")' : '0::bigint';
  const { rows } = await db.query<MarginRow>(
    `select * from (
       select *, ${size} as size from (
         select ${keys[by]} collate "C" as key, ${sums} from (${usedSql}) used group by 1) t) sized
     where $10::text is null or (-size, key) > (-$11::bigint, $10)
     order by -size, key limit $12`,
    [...(await usedValues(db, filter)), after?.key ?? null, after?.size ?? null, max],
  );
  return rows;
}

const marginColumns = `day, account_id, model, provider, tasks, credits, revenue_micros, attempts,
  cost_micros, cost_unknown`;
/**
 * Added days from `$5` to `$6`, and the attempts of the tasks of the rest, which begins at `$1`: a
 * day that is added meanwhile is not counted twice.
 */
const usedSql = `
  select * from (
    select ${marginColumns} from margin_days
    where day >= ($5::timestamptz at time zone 'UTC')::date
      and day < (least($1::timestamptz, $6::timestamptz) at time zone 'UTC')::date
    union all select ${marginColumns} from (${marginRowsSql}) recent) both_
  where ($7::uuid is null or account_id = $7) and ($8::text is null or model = $8)
    and ($9::text is null or provider = $9)`;

async function usedValues(
  db: Queryable,
  { since, until, accountId, model, provider }: MarginFilter,
): Promise<unknown[]> {
  const { rows } = await db.query<{ until: Date }>('select until from installation_rollup');
  const added = rows[0]?.until ?? since;
  const rest = { since: added > since ? added : since, until };
  return [
    ...[rest.since.toISOString(), rest.until.toISOString()],
    ...[idsSince(rest.since), idsUntil(rest.until)],
    ...[since.toISOString(), until.toISOString()],
    ...[accountId ?? null, model ?? null, provider ?? null],
  ];
}

type ModelAtProvider = Omit<MarginRow, 'key' | 'size'> & {
  readonly model: string;
  readonly provider: string;
};

/** The last day that was added up, if it is not long ago; null if there was nothing to add. */
export async function readLastMarginDay(
  db: Queryable,
): Promise<{ readonly day: string; readonly rows: readonly ModelAtProvider[] } | null> {
  const { rows } = await db.query<ModelAtProvider & { readonly day: string }>(
    `select to_char(day, 'YYYY-MM-DD') as day, model, provider, ${sums} from margin_days
     where day = (select max(day) from margin_days)
       and day > ((now() - interval '3 days') at time zone 'UTC')::date
     group by margin_days.day, 2, 3`,
  );
  return rows[0] ? { day: rows[0].day, rows } : null;
}

type LearnedCost = {
  readonly taskId: string;
  readonly number: number;
  readonly micros: number;
  readonly source: CostSource;
  /** The digest of the bill. */
  readonly bill?: string;
};

/**
 * Sets costs that are learned after the attempts have ended. A bill replaces every other source
 * and bill; other sources replace what a rule says or nothing. Returns how many were set.
 */
export async function setCosts(tx: Transaction, costs: readonly LearnedCost[]): Promise<number> {
  // A day that is being added up is added before, or reads the new costs.
  await tx.query('select from installation_rollup for share');
  const { rows } = await tx.query<{ set: number }>(
    `with given as (
       select * from jsonb_to_recordset($1::jsonb) as g("taskId" text, number int, micros bigint,
         source text, bill text)),
     before as materialized (
       select a.task_id, a.number, a.provider, g.micros, g.source, g.bill,
         g.micros - coalesce(a.cost_micros, 0) as more,
         (${isBillable} and a.cost_micros is null)::int as learned
       from attempts a join given g on a.task_id = g."taskId" and a.number = g.number
       where a.outcome is not null
         and (g.source = 'bill' and (g.bill, g.micros) is distinct from (a.cost_bill, a.cost_micros)
           or g.source <> 'bill' and coalesce(a.cost_source, 'rule') = 'rule')
       order by a.task_id, a.number for update of a),
     changed as (
       update attempts a set cost_micros = b.micros, cost_source = b.source, cost_bill = b.bill
       from before b where a.task_id = b.task_id and a.number = b.number returning 1),
     changes as (
       select (t.created_at at time zone 'UTC')::date as day, t.account_id, t.model, b.provider,
         sum(b.more)::bigint as more, sum(b.learned) as learned
       from before b
       join (select ${taskColumns}, mode from tasks
             union all select ${taskColumns}, mode from erased_tasks) t
         on t.id = b.task_id and t.mode = 'live'
       group by 1, 2, 3, 4),
     days as (
       update margin_days m
       set cost_micros = m.cost_micros + d.more, cost_unknown = m.cost_unknown - d.learned
       from changes d
       where (m.day, m.account_id, m.model, m.provider)
         = (d.day, d.account_id, d.model, d.provider)
       returning m.day, m.account_id, m.model, m.provider),
     -- Of attempts that did not count before they cost something.
     new_days as (
       insert into margin_days (day, account_id, model, provider, tasks, credits, revenue_micros,
         attempts, cost_micros, cost_unknown)
       select day, account_id, model, provider, 0, 0, 0, 0, more, 0 from changes
       where more > 0 and (day, account_id, model, provider) not in (select * from days)
         and day < (select (until at time zone 'UTC')::date from installation_rollup))
     select count(*) as set from changed`,
    [JSON.stringify(costs)],
  );
  return rows[0]!.set;
}
