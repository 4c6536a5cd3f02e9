/**
 * The database clock, on which all processes agree, however wrong their own clocks are. Also used
 * for times that other machines check.
 */
import { monotonicMs, startInterval } from '../process/clock.ts';
import type { Queryable } from './database.ts';

const syncIntervalMs = 60_000;

/** Milliseconds since 1970, with fractions. */
export async function databaseMs(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  return rows[0]!.ms;
}

/** Unix time in whole seconds. */
export const databaseSeconds = async (db: Queryable): Promise<number> =>
  Math.floor((await databaseMs(db)) / 1000);

/**
 * For callers that cannot wait for a query: read once a minute and extrapolated with the monotonic
 * clock.
 */
export async function syncDatabaseClock(
  db: Queryable,
): Promise<{ seconds(): number; stop(): void }> {
  let offsetMs = 0;
  const read = async () => {
    const ms = await databaseMs(db);
    offsetMs = ms - monotonicMs();
  };
  await read();
  // If the database is unreachable, the last reading stays in use until the next interval.
  const timer = startInterval(syncIntervalMs, () => read().catch(() => {}));
  return {
    seconds: () => Math.floor((offsetMs + monotonicMs()) / 1000),
    stop: () => timer.stop(),
  };
}
