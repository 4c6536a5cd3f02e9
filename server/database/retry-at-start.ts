/**
 * The server of a shared home directory may move to another process while this one starts. Repeats
 * what then lost its connection: all that runs at the start can run twice.
 */
import { monotonicMs, sleep } from '../process/clock.ts';
import { type Database, isConnectionLost } from './database.ts';

const retryMs = 100;
const retryMsMax = 60_000;

/** After `started` is aborted, a lost connection fails what was using it. */
export async function openRetrying(
  open: () => Promise<Database>,
  started: AbortSignal,
): Promise<Database> {
  const retry = async <T>(work: () => Promise<T>): Promise<T> => {
    for (const fromMs = monotonicMs(); ; await sleep(retryMs)) {
      try {
        return await work();
      } catch (error) {
        if (started.aborted || !isConnectionLost(error)) throw error;
        if (monotonicMs() - fromMs > retryMsMax) throw error;
      }
    }
  };
  const db = await retry(open);
  return {
    ...db,
    query: (text, values) => retry(() => db.query(text, values)),
    transaction: (work, options) => retry(() => db.transaction(work, options)),
    listen: (channel, onNotification) => retry(() => db.listen(channel, onNotification)),
  };
}
