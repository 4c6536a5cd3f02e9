/**
 * A real PostgreSQL, 15 or newer. A server restart fails only what may have had an effect: all that
 * was not sent waits for a connection, and reads and transactions that had not begun are repeated.
 *
 * Statements are prepared only on a direct connection, so that a pooler in transaction mode works.
 */
import type { Socket } from 'node:net';
import pg from 'pg';
import {
  type Database,
  type PreparedStatement,
  type Queryable,
  type Row,
  type Rows,
  sqlText,
} from './database.ts';
import { DatabaseConnections, isBroken } from './database-connections.ts';
import { Listener } from './listener.ts';
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
/** Each is a request or a batch of them; what they hold is in memory. */
const waitingMaxUsual = 2000;
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
  /** A notification on this channel says that the server stops as soon as all have left it. */
  readonly stopChannel?: string;
  readonly waitMsMax?: number;
  readonly waitingMax?: number;
};

/** How the driver reads values, see `database.ts`. */
export const valueTypes = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === int8 ? Number : pg.types.getTypeParser(id, format as 'text'),
} as pg.CustomTypesConfig;

export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { connectionsMax = 10, listenUrl = url, onError = () => {}, stopChannel } = options;
  const { waitMsMax = connectMsMax, waitingMax = waitingMaxUsual } = options;
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
  const open = () => openPool({ ...settings, max: connectionsMax }, onError);
  const isDirect = await isDirectlyConnected(open());
  const connections = new DatabaseConnections(open, { waitMsMax, waitingMax });
  const listener = new Listener(listenSettings, onError);
  if (stopChannel !== undefined) {
    await listener.listen(stopChannel, () => {
      void connections.replace();
      void listener.reconnect();
    });
  }
  const run = isDirect ? runStatement : runUnprepared;

  return {
    query: (statement, values) =>
      connections.use((client) => run(client, statement, values), {
        isRepeatable: () => isRead(statement),
      }),
    async transaction(work, { statementMsMax: statementMs, readsFirst, isRepeatable } = {}) {
      const limit = statementMs && `; set local statement_timeout = ${statementMs}`;
      const options = {
        begin: `${begin}${limit ?? ''}`,
        ...(readsFirst && isDirect && { readsFirst }),
      };
      let hasBegun = false;
      const onBegun = () => {
        hasBegun = true;
      };
      const runOn = (client: pg.PoolClient) =>
        runTransaction(watchConnection(client, { run, statementMs, onBegun }), work, options);
      return await connections.use(runOn, { isRepeatable: () => isRepeatable ?? !hasBegun });
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
      await connections.close();
    },
  };
}

function openPool(settings: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ ...settings, idleTimeoutMillis: 30_000, pipeline: true });
  pool.on('error', onError);
  // If the server dies, a checked-out client emits the error itself, not through the pool.
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/** The connection of a transaction, whose first statement begins it. */
function watchConnection(
  client: pg.PoolClient,
  {
    run,
    statementMs,
    onBegun,
  }: {
    readonly run: typeof runStatement;
    readonly statementMs: number | undefined;
    readonly onBegun: () => void;
  },
): Queryable {
  let isLost = false;
  return {
    async query<R extends Row>(
      statement: string | PreparedStatement,
      values?: readonly unknown[],
    ): Promise<Rows<R>> {
      // Skip ROLLBACK on an unresponsive connection: it would wait for another full timeout.
      if (isLost) throw new Error('the connection to the database was lost');
      sendTogether(client);
      try {
        const rows = await run<R>(client, statement, values, statementMs);
        onBegun();
        return rows;
      } catch (error) {
        isLost ||= isBroken(error);
        throw error;
      }
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
  try {
    const client = await pool.connect();
    const { rows } = await client
      .query<{ pid: number }>('select pg_backend_pid() as pid')
      .finally(() => client.release());
    return rows[0]!.pid === (client as pg.PoolClient & { processID: number | null }).processID;
  } finally {
    await pool.end();
  }
}

/** Whether a second run changes nothing more than the first. */
const isRead = (statement: string | PreparedStatement): boolean =>
  /^\s*select\b/i.test(sqlText(statement));

const runUnprepared: typeof runStatement = (on, statement, values, statementMs) =>
  runStatement(on, sqlText(statement), values, statementMs);

async function runStatement<R extends Row>(
  on: pg.PoolClient,
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
