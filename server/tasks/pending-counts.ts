/** Counts of unfinished tasks for a badge, from indexes that contain unfinished tasks only. */
import type { Queryable } from '../database/database.ts';

export type PendingCounts = {
  /** Failed refunds that an admin has not resolved (docs/spec.md 3.2). */
  readonly refunds: number;
  readonly queued: number;
  readonly generating: number;
};

export async function countPending(db: Queryable): Promise<PendingCounts> {
  const { rows } = await db.query<PendingCounts>(
    `select
       (select count(*) from tasks
        where billing_status = 'refund_failed' and refund_outcome is null) as refunds,
       count(*) filter (where status = 'queued') as queued,
       count(*) filter (where status = 'generating') as generating
     from tasks where finished_at is null`,
  );
  return rows[0]!;
}
