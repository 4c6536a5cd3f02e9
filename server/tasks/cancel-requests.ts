/**
 * Marks attempts that are being cancelled at their provider, so that one process at a time asks the
 * provider, and polls do not count the end of the generation as a failure.
 */
import type { Queryable } from '../database/database.ts';

/**
 * Called before the provider is asked to cancel. Returns false while another cancellation is under
 * way.
 */
export async function markCancelRequested(
  db: Queryable,
  { taskId, number, timeoutSeconds }: { taskId: string; number: number; timeoutSeconds: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update attempts set stop_asked_at = now()
     where task_id = $1 and number = $2 and outcome is null
       and (stop_asked_at is null or stop_asked_at < now() - make_interval(secs => $3))`,
    [taskId, number, timeoutSeconds],
  );
  return rowCount === 1;
}

/**
 * Called when the provider did not say whether it stops: the request is over, and polls find out.
 */
export async function markCancelUnconfirmed(
  db: Queryable,
  { taskId, number }: { taskId: string; number: number },
): Promise<void> {
  await db.query(
    `update attempts set stop_asked_at = null, stop_unconfirmed_at = now()
     where task_id = $1 and number = $2 and outcome is null`,
    [taskId, number],
  );
}

/** Called when the provider continues after all. */
export async function clearCancelRequested(
  db: Queryable,
  { taskId, number }: { taskId: string; number: number },
): Promise<void> {
  await db.query(
    `update attempts set stop_asked_at = null
     where task_id = $1 and number = $2 and outcome is null`,
    [taskId, number],
  );
}

/** Leaves the cancellation to a worker that has the provider, or takes it over from there. */
export async function setCancelWanted(
  db: Queryable,
  { taskId, number, isWanted }: { taskId: string; number: number; isWanted: boolean },
): Promise<void> {
  await db.query(
    `update attempts set stop_wanted = $3
     where task_id = $1 and number = $2 and outcome is null`,
    [taskId, number, isWanted],
  );
}
