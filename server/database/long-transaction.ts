/**
 * One transaction over a connection of its own, without time limits: for work that reads or writes
 * every table, such as a backup. A connection that is lost rolls it back.
 */
import pg from 'pg';
import { ConfigError } from '../config/config.ts';
import {
  connectMessage,
  type Queryable,
  type Row,
  type Rows,
  sqlText,
  type Transaction,
} from './database.ts';
import { valueTypes } from './postgres.ts';
import { findConnectionSettings, withoutOptions } from './session-settings.ts';
import { asTransaction } from './transaction.ts';

const connectMsMax = 10_000;

export type LongTransaction = {
  /** For COPY. A statement of `tx` waits until the one before has ended. */
  readonly client: pg.Client;
  readonly tx: Transaction;
  commit(): Promise<void>;
  /** Ends the transaction and begins another, which has seen no row yet. */
  restart(): Promise<void>;
  /** Rolls back what was not committed. */
  close(): Promise<void>;
};

/** `mode` is what follows BEGIN. Throws `ConfigError` if it cannot connect. */
export async function beginLong(
  url: string,
  { mode, name }: { readonly mode: string; readonly name: string },
): Promise<LongTransaction> {
  const shared = {
    types: valueTypes,
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    application_name: name,
  };
  const settings = await findConnectionSettings(url, shared).catch((error) => {
    const { host, pathname } = new URL(url);
    throw new ConfigError([`${host}${pathname}: ${connectMessage(error)}`]);
  });
  const client = new pg.Client({ ...shared, ...settings, connectionString: withoutOptions(url) });
  // The statement in progress fails with the same error.
  client.on('error', () => {});
  await client.connect();
  const connection: Queryable = {
    async query<R extends Row>(
      statement: Parameters<Queryable['query']>[0],
      values: readonly unknown[] = [],
    ): Promise<Rows<R>> {
      const result = await client.query({
        text: sqlText(statement),
        ...(values.length > 0 ? { values: [...values] } : {}),
      });
      const last = Array.isArray(result) ? result.at(-1) : result;
      return { rows: last.rows as R[], rowCount: last.rowCount ?? 0 };
    },
  };
  const begin = `begin ${mode}; set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0`;
  await connection.query(begin);
  return {
    client,
    tx: asTransaction(connection),
    commit: async () => void (await connection.query('commit')),
    restart: async () => void (await connection.query(`commit; ${begin}`)),
    async close() {
      // A COPY that was cut would answer no further message.
      const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } })
        .connection;
      stream.destroy();
      await client.end().catch(() => {});
    },
  };
}
