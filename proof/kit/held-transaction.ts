/** Transactions that others wait for, to test what these find when it ends. */
import type { Database, Transaction } from '../../server/database/database.ts';
import { waitUntil } from './wait-until.ts';

type Change = (tx: Transaction) => Promise<unknown>;

export async function holdTransaction(db: Database, change: Change) {
  const changed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await change(tx);
    changed.resolve();
    await ended.promise;
  });
  await Promise.race([changed.promise, holding]);
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return {
    waitUntilBlocking: () => waitUntil(async () => (await db.query(waiting)).rowCount > 0),
    async commit() {
      ended.resolve();
      await holding;
    },
  };
}

/** Runs `work`, and commits the change when `work` waits for it. */
export async function commitMeanwhile<Result>(
  db: Database,
  change: Change,
  work: () => Promise<Result>,
): Promise<Result> {
  const held = await holdTransaction(db, change);
  const working = work();
  await held.waitUntilBlocking();
  await held.commit();
  return await working;
}
