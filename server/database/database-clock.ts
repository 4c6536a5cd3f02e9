/**
 * The database's clock, by which everything is decided: all processes agree on it, however wrong
 * their own may be. What another machine is to accept as now, or as not over yet, goes by it too.
 */
import { monotonicMs, startInterval, unixSeconds } from '../clock.ts';
import type { Database, Queryable } from './database.ts';

const syncIntervalMs = 60_000;

/** Milliseconds since 1970, and parts of them. */
export async function databaseMs(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  return rows[0]!.ms;
}

/** Unix time, as other machines are told it. */
export const databaseSeconds = async (db: Queryable): Promise<number> =>
  Math.floor((await databaseMs(db)) / 1000);

export type SyncedClock = { seconds(): number; stop(): void };

/** For whoever cannot wait for an answer: asked once a minute, and measured on from there. */
export async function syncDatabaseClock(db: Database): Promise<SyncedClock> {
  // There it is this machine's own.
  if (db.engine === 'embedded') return { seconds: unixSeconds, stop: () => {} };
  let offsetMs = 0;
  const read = async () => {
    const ms = await databaseMs(db);
    offsetMs = ms - monotonicMs();
  };
  await read();
  // A database that is away is asked again later; what is known stays good meanwhile.
  const timer = startInterval(syncIntervalMs, () => read().catch(() => {}));
  return {
    seconds: () => Math.floor((offsetMs + monotonicMs()) / 1000),
    stop: () => timer.stop(),
  };
}
