/** Repeats what failed because of the database, for requests that wait for it to return. */
import { ApiError } from '@vidgen/contract/api-error.ts';
import { DatabaseUnavailableError } from '../../database/database.ts';
import { type Deadline, sleep } from '../../process/clock.ts';

/** Less than the timeouts of clients and proxies, which begin at 30 s. */
export const outageMsMax = 25_000;
const retryMs = 250;

/**
 * Returns the result of `work`, repeated until it succeeds, throws an `ApiError`, or the deadline
 * passes; then throws its last error, even if it has not ended.
 */
export async function retryInOutage<T>(
  work: () => Promise<T>,
  { signal }: Pick<Deadline, 'signal'>,
): Promise<T> {
  const passed = new Promise<never>((_, reject) => {
    const fail = () =>
      reject(new DatabaseUnavailableError(new Error('it did not respond in time')));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
  for (;;) {
    try {
      return await Promise.race([work(), passed]);
    } catch (error) {
      if (error instanceof ApiError || signal.aborted) throw error;
      await sleep(retryMs, signal);
    }
  }
}
