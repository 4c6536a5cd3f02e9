/** Begin, work, commit, or roll back everything: over one connection. */
import type { Queryable, Transaction } from './database.ts';

export async function runTransaction<T>(
  connection: Queryable,
  work: (tx: Transaction) => Promise<T>,
  { begin = 'begin' }: { readonly begin?: string } = {},
): Promise<T> {
  await connection.query(begin);
  try {
    const result = await work(asTransaction(connection, { depth: 1 }));
    await connection.query('commit');
    return result;
  } catch (error) {
    // A lost connection cannot roll back; the server has already done so.
    await connection.query('rollback').catch(() => {});
    throw error;
  }
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
