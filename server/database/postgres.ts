/**
 * A real PostgreSQL, 15 or newer. A server restart fails only the statements in flight: every
 * connection has an error listener, and new connections are opened on demand.
 *
 * Statements are prepared only on a direct connection, so that a pooler in transaction mode works.
 */
import type { Socket } from 'node:net';
import pg from 'pg';
import { sleep, startInterval } from '../clock.ts';
import {
  type Database,
  type PreparedStatement,
  type Queryable,
  type Row,
  type Rows,
  sqlState,
  textOf,
} from './database.ts';
import {
  findConnectionSettings,
  idleInTransactionMsMax,
  statementMsMax,
  withoutOptions,
} from './session-settings.ts';
import { runTransaction } from './transaction.ts';

const int8 = 20;
const clientMarginMs = 2_000;
const connectMsMax = 5000;
/** How often the listening connection is checked. */
const keepaliveMs = 10_000;
/** Through a pooler that rejects settings of a session. */
const beginWithSettings =
  'begin isolation level read committed read write; ' +
  `set local idle_in_transaction_session_timeout = ${idleInTransactionMsMax}`;

export type PostgresOptions = {
  readonly connectionsMax?: number;
  /** A direct connection for notifications if `url` points to a pooler. */
  readonly listenUrl?: string | undefined;
  /** Called with connection errors, which are expected when the server restarts. */
  readonly onError?: (error: Error) => void;
};

/** How the driver reads values, see `database.ts`. */
export const valueTypes = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === int8 ? Number : pg.types.getTypeParser(id, format as 'text'),
} as pg.CustomTypesConfig;

export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { connectionsMax = 10, listenUrl = url, onError = () => {} } = options;
  const shared = {
    types: valueTypes,
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    application_name: 'vidgen',
    query_timeout: statementMsMax,
  };
  const settingsFor = async (to: string) => ({
    ...shared,
    ...(await findConnectionSettings(to, shared)),
    connectionString: withoutOptions(to),
  });
  const settings = await settingsFor(url);
  const listenSettings = listenUrl === url ? settings : await settingsFor(listenUrl);
  const begin = settings.options === undefined ? beginWithSettings : 'begin';
  const pool = new pg.Pool({
    ...settings,
    max: connectionsMax,
    idleTimeoutMillis: 30_000,
    pipeline: true,
  });
  pool.on('error', onError);
  // If the server dies, a checked-out client emits the error itself, not through the pool.
  pool.on('connect', (client) => client.on('error', onError));
  const listener = new Listener(listenSettings, onError);
  const isDirect = await isDirectlyConnected(pool).catch(async (error) => {
    await pool.end();
    throw error;
  });
  const run = isDirect ? runStatement : runUnprepared;

  return {
    query: (statement, values) => run(pool, statement, values),
    async transaction(work, { statementMsMax: statementMs, readsFirst } = {}) {
      const client = await pool.connect();
      let broken = false;
      const connection: Queryable = {
        async query(statement, values) {
          // Skip ROLLBACK on an unresponsive connection: it would wait for another full timeout.
          if (broken) throw new Error('the connection to the database was lost');
          sendTogether(client);
          try {
            return await run(client, statement, values, statementMs);
          } catch (error) {
            // An error without SQLSTATE did not come from the server, so the connection's state is
            // unknown.
            broken = sqlState(error) === undefined;
            throw error;
          }
        },
      };
      try {
        const limit = statementMs && `; set local statement_timeout = ${statementMs}`;
        return await runTransaction(connection, work, {
          begin: `${begin}${limit ?? ''}`,
          ...(readsFirst && isDirect && { readsFirst }),
        });
      } finally {
        client.release(broken);
      }
    },
    async runAlone(statement) {
      const options = settings.options && `${settings.options} -c statement_timeout=0`;
      const client = new pg.Client({ ...settings, options, query_timeout: 0 });
      client.on('error', onError);
      try {
        await client.connect();
        await client.query(statement);
      } finally {
        await client.end().catch(() => {});
      }
    },
    listen: (channel, onNotification) => listener.listen(channel, onNotification),
    async close() {
      await listener.close();
      await pool.end();
    },
  };
}

/**
 * Statements that are sent without waiting for each other go out in one write, and the server reads
 * them with one.
 */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } })
    .connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** A pooler gives its clients another process ID than that of the backend they share. */
async function isDirectlyConnected(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]!.pid === (client as pg.PoolClient & { processID: number | null }).processID;
  } finally {
    client.release();
  }
}

const runUnprepared: typeof runStatement = (on, statement, values, statementMs) =>
  runStatement(on, textOf(statement), values, statementMs);

async function runStatement<R extends Row>(
  on: pg.Pool | pg.PoolClient,
  statement: string | PreparedStatement,
  values: readonly unknown[] = [],
  statementMs?: number,
): Promise<Rows<R>> {
  // The server is to cancel the statement before the client stops waiting.
  const limit = statementMs && { query_timeout: statementMs + clientMarginMs };
  const query = typeof statement === 'string' ? { text: statement } : statement;
  const bound = values.length > 0 ? { values: [...values] } : {};
  const result = await on.query({ ...query, ...bound, ...limit });
  // A script of several statements returns several results; the last one counts.
  const last = Array.isArray(result) ? result.at(-1) : result;
  return { rows: last.rows as R[], rowCount: last.rowCount ?? 0 };
}

/**
 * A dedicated connection for notifications. It reconnects, also when it becomes unresponsive, and
 * misses notifications meanwhile, so listeners must poll as well. Through a pooler in transaction
 * mode it receives nothing.
 */
class Listener {
  readonly #settings: pg.ClientConfig;
  readonly #onError: (error: Error) => void;
  readonly #channels = new Map<string, Set<(payload: string) => void>>();
  readonly #closing = new AbortController();
  #client: Promise<pg.Client> | undefined;
  #isReconnecting = false;
  #keepalive: { stop(): void } | undefined;

  constructor(settings: pg.ClientConfig, onError: (error: Error) => void) {
    this.#settings = { ...settings, query_timeout: keepaliveMs };
    this.#onError = onError;
  }

  async listen(channel: string, onNotification: (payload: string) => void) {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(onNotification));
    this.#client ??= this.#connect().catch((error) => {
      this.#client = undefined;
      throw error;
    });
    await (await this.#client).query(`listen ${pg.escapeIdentifier(channel)}`);
    this.#keepalive ??= startInterval(keepaliveMs, () => this.#checkConnection());
    return { stop: async () => void listeners.delete(onNotification) };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#keepalive?.stop();
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#settings);
    client.on('error', this.#onError);
    client.on('notification', ({ channel, payload }) => {
      for (const onNotification of this.#channels.get(channel) ?? []) onNotification(payload ?? '');
    });
    await client.connect();
    client.once('end', () => void this.#reconnect());
    return client;
  }

  /** A connection that only listens would not notice a broken network by itself. */
  async #checkConnection(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (!client || this.#isReconnecting) return;
    await client.query('select 1').catch(async (error: Error) => {
      this.#onError(error);
      await client.end().catch(() => {});
    });
  }

  async #reconnect(): Promise<void> {
    // The running reconnect loop handles a connection that ends before it listens.
    if (this.#isReconnecting) return;
    this.#isReconnecting = true;
    while (!this.#closing.signal.aborted) {
      try {
        this.#client = this.#connect();
        const client = await this.#client;
        for (const channel of this.#channels.keys()) {
          await client.query(`listen ${pg.escapeIdentifier(channel)}`);
        }
        break;
      } catch (error) {
        this.#onError(error as Error);
        await this.#client?.then((client) => client.end()).catch(() => {});
        await sleep(500, this.#closing.signal);
      }
    }
    this.#isReconnecting = false;
  }
}
