/**
 * Frees the jobs of crashed workers once their leases have expired, and jobs that a database clock
 * set back would delay for hours. Without a running rescuer these jobs would wait. Any number may
 * run at once: freeing is one conditional update.
 */
import type { Queryable } from '../database/database.ts';
import { databaseMs } from '../database/database-clock.ts';
import { monotonicMs } from '../process/clock.ts';
import { notifyWorkers } from './enqueue.ts';
import { leaseSeconds } from './job.ts';

export type RescueOptions = {
  /** Frees every lease of other owners, expired or not: the caller knows that they are dead. */
  readonly soleLiveOwner?: string;
  /**
   * Leases of the caller are not freed, since it is alive: a machine that slept or a clock set
   * forward is no crash. The caller releases what it no longer runs itself.
   */
  readonly callingOwner?: string;
};

/** Returns how many jobs were freed. Each of them counts one crash. */
export async function rescue(
  db: Queryable,
  { soleLiveOwner, callingOwner }: RescueOptions = {},
): Promise<number> {
  // Made before the database's clock was set back. A live worker renews its leases in time.
  await db.query(
    `update jobs set lease_until = now() + make_interval(secs => $1)
     where lease_until > now() + make_interval(secs => 2 * $1)`,
    [leaseSeconds],
  );
  const { rowCount } = await db.query(
    `update jobs set lease_owner = null, lease_until = null, ready = true, run_at = now(),
       crash_count = crash_count + 1, last_error = 'the worker died'
     where id in (
       select id from jobs
       where lease_until is not null
         and ((lease_until < now() and lease_owner is distinct from $2)
           or ($1::text is not null and lease_owner <> $1))
       for update skip locked)`,
    [soleLiveOwner ?? null, callingOwner ?? null],
  );
  if (rowCount > 0) await notifyWorkers(db);
  return rowCount;
}

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
