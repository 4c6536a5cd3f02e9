/** Credits that were moved by day in UTC, in all accounts together. */
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import type { EntryKind } from './ledger.ts';

/** A transaction that appends an entry is committed before, so no lower ID follows. */
const settled = `interval '10 minutes'`;
const sliceMax = 20_000;

/** Adds the next entries, and returns whether there may be more. One process adds at a time. */
export async function addLedgerDays(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ position: number }>(
    'select position from ledger_rollup for update skip locked',
  );
  if (!rows[0]) return false;
  const { rows: added } = await tx.query<{ last: number | null; entries: number }>(
    `with slice as materialized (
       select id, (created_at at time zone 'UTC')::date as day, mode, kind, amount, created_at
       from ledger_entries where id > $1 order by id limit ${sliceMax}),
     added as materialized (
       select * from slice
       where id < coalesce((select min(id) from slice where created_at >= now() - ${settled}),
         9223372036854775807)),
     counted as (
       insert into ledger_days as d (day, mode, kind, credits)
       select day, mode, kind, sum(amount) from added group by 1, 2, 3
       on conflict (day, mode, kind) do update set credits = d.credits + excluded.credits)
     select max(id) as last, count(*)::int as entries from added`,
    [rows[0].position],
  );
  const { last, entries } = added[0]!;
  if (last !== null) await tx.query('update ledger_rollup set position = $1', [last]);
  return entries === sliceMax;
}

export type LedgerDay = {
  /** `2026-01-31`. */
  readonly day: string;
  readonly kind: EntryKind;
  readonly credits: number;
};

/** From midnight in UTC of `since` on. */
export async function readLedgerDays(
  db: Queryable,
  { mode, since }: { readonly mode: KeyMode; readonly since: Date },
): Promise<LedgerDay[]> {
  const { rows } = await db.query<LedgerDay>(
    `select to_char(day, 'YYYY-MM-DD') as day, kind, sum(credits)::bigint as credits from (
       select day, kind, credits from ledger_days
       where mode = $1 and day >= ($2::timestamptz at time zone 'UTC')::date
       union all
       select (created_at at time zone 'UTC')::date, kind, amount from ledger_entries
       where mode = $1 and id > (select position from ledger_rollup)
         and created_at >= $2::timestamptz) moved
     group by moved.day, 2 order by 1, 2`,
    [mode, since.toISOString()],
  );
  return rows;
}
