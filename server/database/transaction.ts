/** Begin, work, commit, or roll back everything: over one connection. */
import type { PreparedStatement, Queryable, Row, Transaction } from './database.ts';

export async function runTransaction<T>(
  connection: Queryable,
  work: (tx: Transaction) => Promise<T>,
  { begin = 'begin', readsFirst }: { readonly begin?: string; readonly readsFirst?: true } = {},
): Promise<T> {
  const beginning = connection.query(begin);
  const begun: Queryable = readsFirst ? afterBegin(connection, beginning) : connection;
  if (!readsFirst) await beginning;
  try {
    const result = await work(asTransaction(begun, { depth: 1 }));
    await begun.query('commit');
    return result;
  } catch (error) {
    // A lost connection cannot roll back; the server has already done so.
    await connection.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * No result is returned before the transaction has begun, so nothing that depends on one can run
 * outside of it.
 */
function afterBegin(connection: Queryable, beginning: Promise<unknown>): Queryable {
  return {
    async query<R extends Row>(statement: string | PreparedStatement, values?: readonly unknown[]) {
      const [rows] = await Promise.all([connection.query<R>(statement, values), beginning]);
      return rows;
    },
  };
}

export function asTransaction(
  connection: Queryable,
  { depth }: { readonly depth: number },
): Transaction {
  return {
    query: (text, values) => connection.query(text, values),
    async savepoint(work) {
      const name = `part_${depth}`;
      await connection.query(`savepoint ${name}`);
      try {
        const result = await work(asTransaction(connection, { depth: depth + 1 }));
        await connection.query(`release savepoint ${name}`);
        return result;
      } catch (error) {
        await connection.query(`rollback to savepoint ${name}`);
        throw error;
      }
    },
  };
}
