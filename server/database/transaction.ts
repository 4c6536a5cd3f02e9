/** Begin, work, commit, or roll back everything: over one connection. */
import {
  type PreparedStatement,
  type Queryable,
  type Row,
  sqlState,
  type Transaction,
} from './database.ts';

/** `in_failed_sql_transaction`: an earlier statement of the transaction failed. */
const inFailedTransaction = '25P02';

export async function runTransaction<T>(
  connection: Queryable,
  work: (tx: Transaction) => Promise<T>,
  { begin = 'begin', readsFirst }: { readonly begin?: string; readonly readsFirst?: true } = {},
): Promise<T> {
  const beginning = connection.query(begin);
  const begun: Queryable = readsFirst ? afterBegin(connection, beginning) : connection;
  if (!readsFirst) await beginning;
  const statements = new Statements(begun);
  try {
    const result = await work(transactionOf(statements, { depth: 1 }));
    await begun.query('commit');
    return result;
  } catch (error) {
    // A lost connection cannot roll back; the server has already done so.
    await connection.query('rollback').catch(() => {});
    throw statements.causeOf(error);
  }
}

/**
 * The statements of a transaction, with the first error among them. Of several that were sent
 * together, a later one may be the first to be seen, and it says only that another failed.
 */
class Statements implements Queryable {
  readonly #connection: Queryable;
  #firstError: unknown;

  constructor(connection: Queryable) {
    this.#connection = connection;
  }

  query<R extends Row>(statement: string | PreparedStatement, values?: readonly unknown[]) {
    const querying = this.#connection.query<R>(statement, values);
    querying.catch((error) => {
      this.#firstError ??= error;
    });
    return querying;
  }

  causeOf(error: unknown): unknown {
    return sqlState(error) === inFailedTransaction ? (this.#firstError ?? error) : error;
  }

  /** Forgets the error of what was rolled back. */
  forgetError(): void {
    this.#firstError = undefined;
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

/** For a transaction that the caller has begun on `connection`, and ends. */
export const asTransaction = (connection: Queryable): Transaction =>
  transactionOf(new Statements(connection), { depth: 1 });

function transactionOf(statements: Statements, { depth }: { readonly depth: number }): Transaction {
  return {
    query: (statement, values) => statements.query(statement, values),
    async savepoint(work) {
      const name = `part_${depth}`;
      await statements.query(`savepoint ${name}`);
      try {
        const result = await work(transactionOf(statements, { depth: depth + 1 }));
        await statements.query(`release savepoint ${name}`);
        return result;
      } catch (error) {
        await statements.query(`rollback to savepoint ${name}`);
        const cause = statements.causeOf(error);
        statements.forgetError();
        throw cause;
      }
    },
  };
}
