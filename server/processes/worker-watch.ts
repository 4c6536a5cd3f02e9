/** Logs when no worker is left on the database, and when one is back. */
import type { Queryable } from '../database/database.ts';
import type { Log } from '../telemetry/log.ts';
import { hasLiveWorker } from './processes.ts';

/** Returns a check for every heartbeat of a process that is no worker itself. */
export function createWorkerWatch(
  db: Queryable,
  log: Pick<Log, 'info' | 'warn'>,
): () => Promise<void> {
  let hadWorker = true;
  return async () => {
    const hasWorker = (await hasLiveWorker(db)) === true;
    if (hadWorker && !hasWorker) log.warn('no worker is running, tasks wait for one');
    if (!hadWorker && hasWorker) log.info('a worker is running again');
    hadWorker = hasWorker;
  };
}
