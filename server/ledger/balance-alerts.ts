/**
 * Below which live balance an account is notified. Crossings are found by comparing balances from
 * time to time: neither a create nor a settlement does anything for it.
 */
import type { Queryable, Transaction } from '../database/database.ts';

/** Null if the account has none. */
export async function findBalanceAlert(db: Queryable, accountId: string): Promise<number | null> {
  const { rows } = await db.query<{ threshold: number }>(
    'select threshold from balance_alerts where account_id = $1',
    [accountId],
  );
  return rows[0]?.threshold ?? null;
}

/** A new threshold keeps whether the balance was low: only a crossing changes that. */
export async function setBalanceAlert(
  tx: Transaction,
  { accountId, threshold }: { readonly accountId: string; readonly threshold: number | null },
): Promise<void> {
  if (threshold === null) {
    await tx.query('delete from balance_alerts where account_id = $1', [accountId]);
    return;
  }
  await tx.query(
    `insert into balance_alerts (account_id, threshold) values ($1, $2)
     on conflict (account_id) do update set threshold = excluded.threshold`,
    [accountId, threshold],
  );
}

export type BalanceCrossing = {
  readonly accountId: string;
  readonly available: number;
  readonly threshold: number;
  /** Whether the balance is below the threshold now. */
  readonly isLow: boolean;
};

/**
 * Returns the balances that have crossed their threshold since the last call, and marks them. A
 * crossing is returned to one caller only. The balance is read without a lock.
 */
export async function takeBalanceCrossings(
  tx: Transaction,
  { limit }: { readonly limit: number },
): Promise<BalanceCrossing[]> {
  const { rows } = await tx.query<BalanceCrossing>(
    `with crossed as (
       select a.account_id, coalesce(b.available, 0) as available
       from balance_alerts a
         left join balances b on b.account_id = a.account_id and b.mode = 'live'
       where a.is_low <> (coalesce(b.available, 0) < a.threshold) and b.closed is not true
       order by a.account_id limit $1
       for update of a skip locked)
     update balance_alerts a set is_low = not a.is_low
     from crossed c where c.account_id = a.account_id
     returning a.account_id as "accountId", c.available, a.threshold, a.is_low as "isLow"`,
    [limit],
  );
  return rows;
}
