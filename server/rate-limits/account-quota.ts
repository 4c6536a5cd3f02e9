/**
 * Limits how often an account may do something, across all members and processes. Decided in the
 * database under a row lock that lasts until the caller's transaction ends.
 */

import { rateLimited } from '@vidgen/contract/api-error.ts';
import type { Transaction } from '../database/database.ts';

type AccountQuota = {
  readonly accountId: string;
  /** What is counted; purposes are independent. */
  readonly purpose: string;
  readonly limit: number;
  readonly windowSeconds: number;
  /** For the error message, such as "10 wrong codes per hour and account". */
  readonly label: string;
};

/**
 * Throws `rate_limited` if the quota is used up; records no use. Concurrent callers wait for this
 * transaction, so that two cannot both see the last use as free.
 */
export async function requireQuota(tx: Transaction, quota: AccountQuota): Promise<void> {
  const { accountId, purpose, limit, windowSeconds, label } = quota;
  const { rows } = await tx.query<{ taken: number; resetInSeconds: number | null }>(
    `insert into account_windows as w (account_id, purpose) values ($1, $2)
     on conflict (account_id, purpose) do update set stamps = array(
       select stamp from unnest(w.stamps) as stamp
       where stamp > clock_timestamp() - make_interval(secs => $3) order by stamp)
     returning cardinality(stamps) as taken, ceil(extract(epoch from
       stamps[greatest(1, cardinality(stamps) - $4::int + 1)] - clock_timestamp()) + $3)::float8
         as "resetInSeconds"`,
    [accountId, purpose, windowSeconds, limit],
  );
  const { taken, resetInSeconds } = rows[0]!;
  if (taken < limit) return;
  throw rateLimited(`Limit of ${label} exceeded`, Math.max(1, resetInSeconds ?? windowSeconds));
}

/** Records a use. Call after `requireQuota` in the same transaction. */
export async function recordUse(
  tx: Transaction,
  { accountId, purpose }: Pick<AccountQuota, 'accountId' | 'purpose'>,
): Promise<void> {
  await tx.query(
    `update account_windows set stamps = stamps || clock_timestamp()
     where account_id = $1 and purpose = $2`,
    [accountId, purpose],
  );
}
