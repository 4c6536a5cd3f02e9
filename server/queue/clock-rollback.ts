/**
 * Makes jobs runnable that a database clock set back would delay for hours. No job waits longer
 * than its kind ever may.
 */

import type { Queryable } from '../database/database.ts';
import { databaseMs } from '../database/database-clock.ts';
import { monotonicMs } from '../process/clock.ts';
import { notifyWorkers } from './enqueue.ts';

/** No `submit` and no `poll` is delayed for longer. Polling a provider too early does no harm. */
const jobDelaySecondsMax = 600;
/** Smaller differences come from clock corrections and slow responses of the database. */
const rollbackMsMin = 60_000;

export type ClockWatch = { check(): Promise<number> };

/**
 * `check` compares the database's clock with the previous check and returns how many jobs it made
 * runnable. The first check has nothing to compare with and acts as if the clock was set back.
 */
export function watchClock(
  db: Queryable,
  { webhookDelaySecondsMax }: { readonly webhookDelaySecondsMax: number },
): ClockWatch {
  let lastOffsetMs = Number.POSITIVE_INFINITY;
  return {
    async check() {
      const offsetMs = (await databaseMs(db)) - monotonicMs();
      const isRolledBack = offsetMs < lastOffsetMs - rollbackMsMin;
      lastOffsetMs = offsetMs;
      return isRolledBack ? await makeOverdueRunnable(db, { webhookDelaySecondsMax }) : 0;
    },
  };
}

async function makeOverdueRunnable(
  db: Queryable,
  { webhookDelaySecondsMax }: { readonly webhookDelaySecondsMax: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `update jobs set run_at = now(), ready = true where id in (
       select id from jobs where not ready and lease_until is null and kind <> 'expire'
         and run_at > now() + make_interval(
           secs => case kind when 'notify' then $1::float8 else $2::float8 end)
       order by id for update skip locked)`,
    [webhookDelaySecondsMax, jobDelaySecondsMax],
  );
  if (rowCount > 0) await notifyWorkers(db);
  return rowCount;
}
