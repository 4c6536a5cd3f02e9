/** The credits that the tasks of a key cost: charged, reserved, or waiting for their refund. */
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import { creditsOfKeys } from './usage.ts';

/** Counts tasks that were created since then, and were not refunded. */
export async function countKeyCredits(
  db: Queryable,
  key: {
    readonly accountId: string;
    readonly mode: KeyMode;
    readonly keyId: string;
    readonly since: Date;
  },
): Promise<number> {
  const { accountId, mode, keyId, since } = key;
  const charged = await creditsOfKeys(db, { accountId, since });
  const { rows } = await db.query<{ credits: number }>(
    `select coalesce(sum(credits), 0)::bigint as credits from (
       select credits, key_id, created_at from tasks
       where account_id = $1 and mode = $2 and finished_at is null
       union all
       select credits, key_id, created_at from tasks where billing_status = 'refund_failed') held
     where key_id = $3 and created_at >= $4`,
    [accountId, mode, keyId, since.toISOString()],
  );
  return (charged.get(keyId) ?? 0) + rows[0]!.credits;
}

type RunningCount = {
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly running: number;
};

/** Counts the tasks in progress of each account and mode, each up to its `countMax`. */
export async function countRunning(
  db: Queryable,
  wanted: readonly {
    readonly accountId: string;
    readonly mode: KeyMode;
    readonly countMax: number;
  }[],
): Promise<RunningCount[]> {
  const { rows } = await db.query<RunningCount>(
    `select w.account_id as "accountId", w.mode, t.running
     from unnest($1::uuid[], $2::text[], $3::int[]) as w (account_id, mode, count_max)
     cross join lateral (
       select count(*)::int as running from (
         select from tasks t
         where t.account_id = w.account_id and t.mode = w.mode and t.finished_at is null
         limit w.count_max) counted) t`,
    [
      wanted.map(({ accountId }) => accountId),
      wanted.map(({ mode }) => mode),
      wanted.map(({ countMax }) => countMax),
    ],
  );
  return rows;
}
