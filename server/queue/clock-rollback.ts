/**
 * What happens to due work when the database's clock is set back: a look that was to come in a
 * second would come hours later. Nothing waits longer than it ever may.
 */
import { monotonicMs } from '../clock.ts';
import type { Queryable } from '../database/database.ts';
import { databaseMs } from '../database/database-clock.ts';
import { notifyWorkers } from './enqueue.ts';

/** No submit and no look is put off for longer. To ask a provider once too early does no harm. */
const jobDelaySecondsMax = 600;
/** Less than this is a clock that is being put right, or a database that was slow to answer. */
const rollbackMsMin = 60_000;

export type ClockWatch = { check(): Promise<number> };

/**
 * Looks whether the clock was set back since the last look, and makes due what would wait too long
 * for that; answers how many jobs. The first look knows no time before it, and takes care anyway.
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
