/**
 * What happens to due work when the database's clock is set back: a look that was to come in a
 * second would come hours later. Nothing waits longer than it ever may.
 */
import { elapsedMs } from '../clock.ts';
import type { Queryable } from '../database/database.ts';
import { databaseMs } from '../database/database-clock.ts';
import { wake } from './queue.ts';

/** No submit and no look is put off for longer. To ask a provider once too early does no harm. */
const workSecondsMax = 600;
/** Less than this is a clock that is being put right, or a database that was slow to answer. */
const setBackMsMin = 60_000;

export type ClockWatch = { look(): Promise<number> };

/**
 * Looks whether the clock was set back since the last look, and makes due what would wait too long
 * for that; answers how many jobs. The first look knows no time before it, and takes care anyway.
 */
export function watchClock(
  db: Queryable,
  { callSecondsMax }: { readonly callSecondsMax: number },
): ClockWatch {
  let lastMs = Number.POSITIVE_INFINITY;
  return {
    async look() {
      const aheadMs = (await databaseMs(db)) - elapsedMs();
      const isSetBack = aheadMs < lastMs - setBackMsMin;
      lastMs = aheadMs;
      return isSetBack ? await makeDue(db, { callSecondsMax }) : 0;
    },
  };
}

async function makeDue(
  db: Queryable,
  { callSecondsMax }: { readonly callSecondsMax: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `update jobs set run_at = now(), ready = true where id in (
       select id from jobs where not ready and lease_until is null and kind <> 'expire'
         and run_at > now() + make_interval(
           secs => case kind when 'notify' then $1::float8 else $2::float8 end)
       order by id for update skip locked)`,
    [callSecondsMax, workSecondsMax],
  );
  if (rowCount > 0) await wake(db);
  return rowCount;
}
