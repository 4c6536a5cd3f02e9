/**
 * Frees the jobs of workers that died: their leases ran out. If the rescuer stops everywhere, work
 * of a dead worker waits for ever; any number of rescuers may run, since freeing is one conditional
 * update.
 */
import type { Queryable } from '../database/database.ts';
import { notifyWorkers } from './enqueue.ts';

export type RescueOptions = {
  /** Only these owners' leases, whatever is left of them: a process that knows they are dead. */
  readonly soleLiveOwner?: string;
  /**
   * Whoever asks is alive: a machine that slept, or a clock set forward, is no death of its own.
   * What it cannot hold any more it gives back itself, or another's rescuer frees.
   */
  readonly callingOwner?: string;
};

/** Answers how many jobs were freed. Each counts one death against its job. */
export async function rescue(
  db: Queryable,
  { soleLiveOwner, callingOwner }: RescueOptions = {},
): Promise<number> {
  const { rowCount } = await db.query(
    `update jobs set lease_owner = null, lease_until = null, ready = true, run_at = now(),
       deaths = deaths + 1, last_error = 'the worker died'
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
