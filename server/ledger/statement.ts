/**
 * The statement of a month: the balance before and after it, and what changed it. The balance is
 * what is available, reserved and suspended together, so only grants, deductions and charges do.
 */
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import type { EntryKind } from './ledger.ts';

type StatementLine = {
  /** In UTC: `2026-01-31`. */
  readonly day: string;
  readonly kind: Extract<EntryKind, 'grant' | 'deduct' | 'charge'>;
  readonly note: string | null;
  readonly reference: string | null;
  /** 1, and for charges the tasks of the day. */
  readonly entries: number;
  readonly credits: number;
};

export type Statement = {
  readonly openingBalance: number;
  readonly closingBalance: number;
  readonly lines: readonly StatementLine[];
};

/** No account has as many entries. */
const numbersMax = 2 ** 40;

/**
 * The first entry of an account at a time or later. Entries are numbered without gaps and in the
 * order of their time, so it is searched for in halves: there is no index by time. The halves are
 * the same however many entries there are, so that one month ends where the next begins even if two
 * entries were written at once.
 */
const firstSince = (time: string): string => `(
  with recursive halves (low, high) as (
    select 0::bigint, ${numbersMax}::bigint
    union all
    select case when is_before then middle else low end,
      case when is_before then high else middle end
    from (
      select low, high, middle, coalesce(created_at < ${time}::timestamptz, false) as is_before
      from (select low, high, (low + high) / 2 as middle from halves where high - low > 1) half
      left join ledger_entries on account_id = $1 and mode = $2 and number = middle) probed)
  select high from halves where high - low = 1)`;

export async function readStatement(
  db: Queryable,
  { accountId, mode, since, until }: { accountId: string; mode: KeyMode; since: Date; until: Date },
): Promise<Statement> {
  const { rows } = await db.query<Omit<Statement, 'lines'> & { lines: StatementLine[] }>(
    `with bounds as materialized (
       select ${firstSince('$3')} as first, ${firstSince('$4')} as after),
     lines as (
       select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, kind, note, reference,
         count(*)::int as entries, sum(amount)::bigint as credits, min(number) as number
       from ledger_entries, bounds
       where account_id = $1 and mode = $2 and number >= first and number < after
         and kind in ('grant', 'deduct', 'charge')
       group by day, kind, note, reference, case when kind = 'charge' then 0 else number end)
     select ${balanceBefore('first')} as "openingBalance",
       ${balanceBefore('after')} as "closingBalance",
       coalesce((select jsonb_agg(to_jsonb(lines) - 'number' order by number) from lines), '[]')
         as lines
     from bounds`,
    [accountId, mode, since.toISOString(), until.toISOString()],
  );
  return rows[0]!;
}

const balanceBefore = (number: string): string => `coalesce((
  select available_after + reserved_after + suspended_after from ledger_entries
  where account_id = $1 and mode = $2 and number = ${number} - 1), 0)::bigint`;
