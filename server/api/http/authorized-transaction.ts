/** Transactions of a caller whose right is judged and locked in the same transaction. */
import { type Database, sqlState, type Transaction } from '../../database/database.ts';
import type { Caller } from './handler.ts';

/** Two callers who take each other's rights away deadlock: one is repeated and then rejected. */
const attemptsMax = 3;
const deadlock = '40P01';

export async function authorizedTransaction<T>(
  db: Database,
  { reauthorize }: Pick<Caller, 'reauthorize'>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (tx) => {
        await reauthorize(tx, { lock: true });
        return await work(tx);
      });
    } catch (error) {
      if (sqlState(error) !== deadlock || attempt === attemptsMax) throw error;
    }
  }
}
