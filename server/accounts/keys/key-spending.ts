/**
 * Spending caps of keys: how many credits the tasks of a key may reserve per day or month in UTC,
 * or in all. Counters are read and written only while the caller holds the lock of the balance of
 * the key's account and mode, so that no cap is exceeded, on any number of processes.
 */
import { notFound } from '@vidgen/contract/api-error.ts';
import type { SpendingPeriod } from '@vidgen/contract/models.ts';
import type { PreparedStatement, Queryable, Transaction } from '../../database/database.ts';

export type SpendingCap = { readonly credits: number; readonly period: SpendingPeriod };

export type KeySpending = {
  readonly keyId: string;
  readonly cap: number;
  readonly period: SpendingPeriod;
  /** The first day of the period in UTC: `2026-01-31`. */
  readonly startsOn: string;
  /** When the next period begins; null for `total`. */
  readonly renewsAt: Date | null;
  /** Reserved or charged in the period. */
  readonly used: number;
};

/** The name of a period: its first day, of `total` 1970-01-01. Both are SQL expressions. */
const startsOnSql = (period: string, time: string): string =>
  `case ${period} when 'total' then date '1970-01-01'
   else date_trunc(${period}, ${time} at time zone 'UTC')::date end`;

/** Returns the keys that have a cap, with what they used of it in the current period. */
export async function findKeySpending(
  db: Queryable,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, KeySpending>> {
  const { rows } = await db.query<KeySpending>(findKeySpendingStatement, [keyIds]);
  return new Map(rows.map((spending) => [spending.keyId, spending]));
}

const findKeySpendingStatement: PreparedStatement = {
  name: 'find_key_spending',
  text: `select k.id as "keyId", k.spending_cap as cap, k.spending_period as period,
           to_char(p.starts_on, 'YYYY-MM-DD') as "startsOn", coalesce(s.credits, 0) as used,
           case when k.spending_period <> 'total' then
             (p.starts_on + ('1 ' || k.spending_period)::interval) at time zone 'UTC'
           end as "renewsAt"
         from api_keys k
         cross join lateral (
           select ${startsOnSql('k.spending_period', 'now()')} as starts_on) p
         left join key_spending s on s.key_id = k.id and s.starts_on = p.starts_on
         where k.id = any($1::text[]) and k.spending_cap is not null`,
};

/** Adds what new tasks reserve. The newest 62 periods of a key are kept. */
export async function addKeySpending(
  tx: Transaction,
  spent: readonly (Pick<KeySpending, 'keyId' | 'startsOn'> & { readonly credits: number })[],
): Promise<void> {
  await tx.query(addKeySpendingStatement, [
    spent.map(({ keyId }) => keyId),
    spent.map(({ startsOn }) => startsOn),
    spent.map(({ credits }) => credits),
  ]);
}

const addKeySpendingStatement: PreparedStatement = {
  name: 'add_key_spending',
  text: `with spent as (
           select * from unnest($1::text[], $2::date[], $3::bigint[])
             as spent (key_id, starts_on, credits)),
         ended as (
           delete from key_spending s using spent
           where s.key_id = spent.key_id and s.starts_on < (
             select starts_on from key_spending kept where kept.key_id = spent.key_id
             order by starts_on desc offset 61 limit 1))
         insert into key_spending as s (key_id, starts_on, credits) select * from spent
         on conflict (key_id, starts_on) do update set credits = s.credits + excluded.credits`,
};

/** Gives back what refunded tasks had reserved, to the period in which they were created. */
export async function subtractKeySpending(
  tx: Transaction,
  refunded: readonly {
    readonly keyId: string;
    readonly createdAt: Date;
    readonly credits: number;
  }[],
): Promise<void> {
  if (refunded.length === 0) return;
  await tx.query(subtractKeySpendingStatement, [
    refunded.map(({ keyId }) => keyId),
    refunded.map(({ createdAt }) => createdAt.toISOString()),
    refunded.map(({ credits }) => credits),
  ]);
}

const subtractKeySpendingStatement: PreparedStatement = {
  name: 'subtract_key_spending',
  // Never below 0: a counter must not keep a refund from being booked.
  text: `update key_spending s set credits = greatest(0, s.credits - r.credits)
         from (
           select k.id, ${startsOnSql('k.spending_period', 'r.created_at')} as starts_on,
             sum(r.credits) as credits
           from unnest($1::text[], $2::timestamptz[], $3::bigint[])
             as r (key_id, created_at, credits)
           join api_keys k on k.id = r.key_id and k.spending_cap is not null
           group by 1, 2) r
         where s.key_id = r.id and s.starts_on = r.starts_on`,
};

/**
 * Sets or removes the cap of a key and forgets its counters; the caller counts again with
 * `startKeySpending`. Throws `not_found` for playground keys.
 */
export async function setSpendingCap(
  tx: Transaction,
  keyId: string,
  cap: SpendingCap | null,
): Promise<void> {
  const { rowCount } = await tx.query(
    `update api_keys set spending_cap = $2, spending_period = $3 where id = $1 and not playground`,
    [keyId, cap?.credits ?? null, cap?.period ?? null],
  );
  if (rowCount === 0) throw notFound('No API key found with this ID.');
  await tx.query('delete from key_spending where key_id = $1', [keyId]);
}
