/**
 * Compares a vendor's bill with the attempts at a provider. The rows are kept in a table while they
 * are compared, so that a bill of any length takes little memory.
 */
import type { BillKind } from '@vidgen/contract/margin.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { isBillable, setCosts } from './margin.ts';
import { idsSince, idsUntil } from './task-id.ts';
import type { Period } from './usage-days.ts';

export type BillLine = {
  readonly line: number;
  readonly operation: string;
  /** In millionths of the installation's currency. */
  readonly micros: number;
  /** The smallest amount that the bill can show. */
  readonly precisionMicros: number;
  /** Of a test video, which has no task. */
  readonly isTest: boolean;
};

type Bill = { readonly billId: string; readonly provider: string };
/** With what tells the file from every other. */
type ReadBill = Bill & { readonly digest: string };

/**
 * Adds lines, after all that precede them, each with what it is found to be. An amount matches if
 * it is what was expected, rounded as the bill rounds. A cost that was unknown matches any amount;
 * an attempt that was not made costs nothing.
 * The second row of an operation is `twice`, also if the first is on a bill that was applied,
 * until `matchAppliedSlice` finds that it was this one.
 */
export async function addBillLines(
  tx: Transaction,
  { billId, provider }: Bill,
  lines: readonly BillLine[],
): Promise<void> {
  await tx.query(
    `insert into bill_rows (bill_id, line, operation, kind, task_id, number, billed_micros,
       expected_micros)
     select $1, g.line, g.operation, case
         when a.task_id is null and not g."isTest" then 'not_ours'
         when g.nth > 1 or exists (select from bill_rows e
           where e.bill_id = $1 and e.operation = g.operation)
           or a.cost_source = 'bill' and a.cost_micros = g.micros then 'twice'
         when a.cost_micros is null and g.micros >= 0
           or 2 * abs(a.cost_micros - g.micros) <= g."precisionMicros" then 'matched'
         else 'differs' end,
       a.task_id, a.number, g.micros, a.cost_micros
     from (select *, row_number() over (partition by operation order by line) as nth
           from jsonb_to_recordset($3::jsonb) as r(line bigint, operation text, micros bigint,
             "precisionMicros" bigint, "isTest" boolean)) g
     left join lateral (
       select task_id, number, cost_source, coalesce(cost_micros,
           case when outcome in ('throttled', 'refused') then 0 end) as cost_micros
       from attempts
       where provider = $2 and operation = g.operation order by task_id limit 1) a on true`,
    [billId, provider, JSON.stringify(lines)],
  );
}

const sliceRows = 5000;

/**
 * Rows whose cost this same file has set are not `twice`, but match: it was applied before. Returns
 * the last line that was read, with how many match; null when there are no more.
 */
export async function matchAppliedSlice(
  tx: Transaction,
  { billId, digest }: ReadBill,
  after: number,
): Promise<{ readonly last: number; readonly matched: number } | null> {
  const { rows } = await tx.query<{ last: number | null; matched: number }>(
    `with slice as materialized (
       select * from bill_rows
       where bill_id = $1 and line > $2 and kind = 'twice' and task_id is not null
       order by line limit ${sliceRows}),
     matched as (
       update bill_rows b set kind = 'matched' from slice s
       join attempts a on a.task_id = s.task_id and a.number = s.number and a.cost_bill = $3
       where b.bill_id = $1 and b.line = s.line and not exists (select from bill_rows e
         where e.bill_id = $1 and e.operation = s.operation and e.line < s.line)
       returning 1)
     select max(line) as last, (select count(*) from matched) as matched from slice`,
    [billId, after, digest],
  );
  const { last, matched } = rows[0]!;
  return last === null ? null : { last, matched };
}

export async function hasAttempts(db: Queryable, provider: string): Promise<boolean> {
  const { rowCount } = await db.query('select from attempts where provider = $1 limit 1', [
    provider,
  ]);
  return rowCount > 0;
}

/** The times from the first to the last start of what is on the bill; null if nothing is ours. */
export async function findBilledPeriod(db: Queryable, { billId }: Bill): Promise<Period | null> {
  const { rows } = await db.query<{ since: Date | null; until: Date }>(
    `select min(a.started_at) as since, max(a.started_at) + interval '1 ms' as until
     from bill_rows b join attempts a on a.task_id = b.task_id and a.number = b.number
     where b.bill_id = $1`,
    [billId],
  );
  const [found] = rows;
  return found?.since ? { since: found.since, until: found.until } : null;
}

const dayMs = 86_400_000;

/**
 * Adds the attempts of the period that are known to cost something and are not on the bill. One
 * with an unknown cost may rightly be missing.
 */
export async function addNotBilled(
  transaction: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>,
  bill: Bill,
  period: Period,
): Promise<void> {
  let after: string | null = idsSince(new Date(period.since.getTime() - 2 * dayMs));
  while (after !== null) {
    const from: string = after;
    after = await transaction((tx) => addNotBilledSlice(tx, bill, period, from));
  }
}

/** Returns the last task that was read; null if there was none. */
async function addNotBilledSlice(
  tx: Transaction,
  { billId, provider }: Bill,
  { since, until }: Period,
  after: string,
): Promise<string | null> {
  const { rows } = await tx.query<{ last: string | null }>(
    `with slice as materialized (
       select * from attempts where provider = $2 and task_id > $3 and task_id < $4
       order by task_id fetch first ${sliceRows} rows with ties),
     added as (
       insert into bill_rows (bill_id, line, operation, kind, task_id, number, expected_micros)
       select $1, (select coalesce(max(line), 0) from bill_rows where bill_id = $1)
           + row_number() over (order by a.task_id, a.number),
         a.operation, 'not_billed', a.task_id, a.number, a.cost_micros
       from slice a
       where ${isBillable} and a.cost_micros > 0 and a.operation is not null
         and a.started_at >= $5::timestamptz and a.started_at < $6::timestamptz
         and not exists (select from bill_rows b
           where b.bill_id = $1 and b.operation = a.operation))
     select max(task_id) as last from slice`,
    [billId, provider, after, idsUntil(until), since.toISOString(), until.toISOString()],
  );
  return rows[0]!.last;
}

export type BillRow = {
  readonly line: number;
  readonly kind: BillKind;
  readonly operation: string;
  readonly taskId: string | null;
  readonly billedMicros: number | null;
  readonly expectedMicros: number | null;
};

/** In the order of the bill; then what is not on it. */
export async function readBillRows(
  db: Queryable,
  { billId }: Bill,
  { after, max, kind }: { after: number; max: number; kind?: BillKind },
): Promise<BillRow[]> {
  const { rows } = await db.query<BillRow>(
    `select line, kind, operation, task_id as "taskId", billed_micros as "billedMicros",
       expected_micros as "expectedMicros" from bill_rows
     where bill_id = $1 and line > $2 and ($4::text is null or kind = $4) order by line limit $3`,
    [billId, after, max, kind ?? null],
  );
  return rows;
}

export type BillSum = {
  readonly kind: BillKind;
  readonly rows: number;
  readonly billedMicros: number;
  readonly expectedMicros: number;
};

export async function sumBill(db: Queryable, { billId }: Bill): Promise<BillSum[]> {
  const { rows } = await db.query<BillSum>(
    `select kind, count(*) as rows, coalesce(sum(billed_micros), 0)::bigint as "billedMicros",
       coalesce(sum(expected_micros), 0)::bigint as "expectedMicros"
     from bill_rows where bill_id = $1 group by kind`,
    [billId],
  );
  return rows;
}

/** How many costs the rows that matched or differ would change. */
export async function countApplicable(
  db: Queryable,
  { billId, digest }: ReadBill,
): Promise<number> {
  const { rows } = await db.query<{ applicable: number }>(
    `select count(*) as applicable
     from bill_rows b join attempts a on a.task_id = b.task_id and a.number = b.number
     where bill_id = $1 and kind in ('matched', 'differs') and billed_micros >= 0
       and a.outcome is not null
       and (a.cost_bill, a.cost_micros) is distinct from ($2, b.billed_micros)`,
    [billId, digest],
  );
  return rows[0]!.applicable;
}

/**
 * Writes the costs of the next rows that matched or differ, and returns the last line with how many
 * were written; null when there are no more. Attempts that have not ended keep none.
 */
export async function applyBillSlice(
  tx: Transaction,
  { billId, provider, digest }: ReadBill,
  { after, rowsMax = sliceRows }: { readonly after: number; readonly rowsMax?: number },
): Promise<{ readonly last: number; readonly written: number } | null> {
  // Two bills would lock the days of their attempts in different orders.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`bill ${provider}`]);
  const { rows } = await tx.query<{ line: number; taskId: string; number: number; micros: number }>(
    `select line, task_id as "taskId", number, billed_micros as micros from bill_rows
     where bill_id = $1 and line > $2 and kind in ('matched', 'differs') and billed_micros >= 0
       and task_id is not null
     order by line limit $3`,
    [billId, after, rowsMax],
  );
  const lines = rows.map(({ line }) => line);
  const last = lines.at(-1);
  if (last === undefined) return null;
  // Another bill may have been applied since these rows were read.
  const { rows: twice } = await tx.query<{ line: number }>(
    `update bill_rows b set kind = 'twice' from attempts a
     where b.bill_id = $1 and b.line = any($2::bigint[])
       and a.task_id = b.task_id and a.number = b.number and a.cost_source = 'bill'
       and a.cost_bill is distinct from $3 and a.cost_micros = b.billed_micros
     returning b.line`,
    [billId, lines, digest],
  );
  const known = new Set(twice.map(({ line }) => line));
  const costs = rows
    .filter(({ line }) => !known.has(line))
    .map(({ line: _, ...cost }) => ({ ...cost, source: 'bill' as const, bill: digest }));
  return { last, written: await setCosts(tx, costs) };
}

/** Also what a crash has left behind. */
export async function deleteBill(db: Queryable, { billId }: Pick<Bill, 'billId'>): Promise<void> {
  await db.query(
    `delete from bill_rows where bill_id = $1 or received_at < now() - interval '1 day'`,
    [billId],
  );
}
