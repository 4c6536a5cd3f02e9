/**
 * The interface to PostgreSQL. Modules take a `Queryable`; the layers above them decide what
 * commits together and open the transaction.
 *
 * Results have int8 as number, timestamptz as Date, jsonb parsed; errors have SQLSTATE in `code`.
 * JSON parameters are passed as text (`JSON.stringify`) and cast in the statement.
 */
export type Row = Record<string, unknown>;
export type Rows<R extends Row = Row> = { readonly rows: R[]; readonly rowCount: number };

/**
 * A statement that each connection parses and plans once. For frequent ones whose best plan does
 * not depend on the values. The name is unique to the text.
 */
export type PreparedStatement = { readonly name: string; readonly text: string };

export const sqlText = (statement: string | PreparedStatement): string =>
  typeof statement === 'string' ? statement : statement.text;

export interface Queryable {
  /**
   * Statements of one transaction run in the order of the calls. Several may be sent before the
   * first result arrives; after one that fails, the others fail too.
   */
  query<R extends Row = Row>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ): Promise<Rows<R>>;
}

export interface Transaction extends Queryable {
  /** Runs work that may fail alone: its writes are undone and the transaction continues. */
  savepoint<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

type TransactionOptions = {
  /** For migrations, whose statements may take longer than those of requests. */
  readonly statementMsMax?: number;
  /**
   * Sends the first statements together with `begin`, which saves a round trip. They may only read
   * or lock: if `begin` failed, they would run outside of the transaction.
   */
  readonly readsFirst?: true;
  /**
   * Repeats the transaction if its connection is lost, even if it may have been committed: the work
   * finds out by itself.
   */
  readonly isRepeatable?: true;
};

export interface Database extends Queryable {
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs a statement that cannot be part of a transaction, without a time limit. */
  runAlone(statement: string): Promise<void>;
  /** Called for each committed notification on the channel; may miss some while reconnecting. */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
  ): Promise<{ stop(): Promise<void> }>;
  close(): Promise<void>;
}

/**
 * SQLSTATE classes: connection, rollback, resources, locks, operator intervention, system, internal
 * error.
 */
const transientClasses = new Set(['08', '40', '53', '55', '57', '58', 'XX']);

/** A failure of the database itself, such as a full disk or a restart, and not of the statement. */
export function isTransientDatabaseError(error: unknown): boolean {
  return transientClasses.has(sqlState(error)?.slice(0, 2) ?? '');
}

/** No connection could be had in time, so nothing was sent. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  /** Of the last attempt to connect: a SQLSTATE, or such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(cause: Error) {
    super(`no connection to the database: ${cause.message}`, { cause });
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

const connectionCodes = [
  ...['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH'],
  // The name of a server that fails over may be missing for a moment.
  ...['ENOTFOUND', 'EAI_AGAIN'],
];
/** The driver's errors without a code, and that of a transaction after one of them. */
const connectionMessages =
  /^(Connection terminated|Client (has|was)|timeout e|Query read timeout|the connection to the)/;

/**
 * Classes 08 and 57P: a connection that failed, a server that starts or shuts down. 53300: it has
 * too many connections, as when all processes return to it at once.
 */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P|53300)/.test(state);
  const { code, message } = error as NodeJS.ErrnoException;
  return connectionCodes.includes(code ?? '') || connectionMessages.test(message);
}

/** A connection that failed at several IP addresses has a code, and no message. */
export function connectMessage(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return `cannot connect to PostgreSQL (${message || code})`;
}

/** The SQLSTATE of a database error, or undefined for any other error, such as EPIPE. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(?!E[A-Z]{4}$)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
