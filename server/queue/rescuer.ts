/**
 * Frees the jobs of crashed workers once their leases have expired. Without a running rescuer these
 * jobs would wait forever. Any number may run at once: freeing is one conditional update.
 */
import type { Queryable } from '../database/database.ts';
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
