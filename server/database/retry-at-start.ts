/**
 * The server of a shared home directory may move to another process while this one starts. Repeats
 * what then lost its connection: all that runs at the start can run twice.
 */
import { monotonicMs, sleep } from '../clock.ts';
import { type Database, sqlState } from './database.ts';

const retryMs = 100;
const retryMsMax = 60_000;
const connectionCodes = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE'];
/** The driver's errors without a code, and that of a transaction after one of them. */
const connectionMessages =
  /^(Connection terminated|Client (has|was)|timeout e|Query read timeout|the connection to the)/;

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

/** Classes 08 and 57P: a connection that failed, a server that starts or shuts down. */
function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P)/.test(state);
  const { code, message } = error as NodeJS.ErrnoException;
  return connectionCodes.includes(code ?? '') || connectionMessages.test(message);
}
