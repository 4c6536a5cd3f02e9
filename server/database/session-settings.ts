/**
 * Settings that every connection needs, whatever the database or the role has as its default: they
 * decide how values are written and read, and how long a statement may wait.
 */
import pg from 'pg';
import { sqlState } from './database.ts';

/** On the client; the server cancels a statement a little earlier, so that none is left behind. */
export const statementMsMax = 30_000;
const serverStatementMs = statementMsMax - 2_000;
/**
 * A process that hangs in a transaction, or whose machine is gone, keeps its locks, and with them
 * an account and its jobs, until the server ends the session.
 */
export const idleInTransactionMsMax = 10_000;

/** By the names of `pg_settings`. */
const sessionSettings: Readonly<Record<string, string>> = {
  // How values are written and read.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // What a transaction may do, and which changes of others it sees.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  // How long a statement may wait. A lock that is not granted ends with the statement.
  statement_timeout: String(serverStatementMs),
  lock_timeout: '0',
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: String(idleInTransactionMsMax),
};

/** Debian's PostgreSQL has `Etc/UTC` by default, containers `GMT` or `UTC`. */
const utcNames = /^(Etc\/)?(UTC|GMT|UCT|Zulu|Universal|Greenwich)$/i;

export type ConnectionSettings = {
  /** For the startup message; undefined through a pooler that rejects it. */
  readonly options: string | undefined;
};

/**
 * Finds the settings for all connections to `url`. A pooler in transaction mode may reject settings
 * of a session, since it would pass them on to other clients; then the defaults of the database
 * must be right. Throws if they are not.
 */
export async function findConnectionSettings(
  url: string,
  config: pg.ClientConfig,
): Promise<ConnectionSettings> {
  const given = optionsOf(url);
  const options = [given, ...Object.entries(sessionSettings).map(toOption)].join(' ').trim();
  try {
    const schema = await runOnce({ ...config, connectionString: url, options }, findSchema);
    // A search path in the URL is a decision, and not only a default.
    if (given.includes('search_path')) return { options };
    return { options: `${options} ${toOption(['search_path', pg.escapeIdentifier(schema)])}` };
  } catch (error) {
    // Protocol violation: "unsupported startup parameter".
    if (sqlState(error) !== '08P01') throw error;
    await runOnce({ ...config, connectionString: url }, requireSettings);
    return { options: undefined };
  }
}

/** They come before ours, which win where both name a setting, except for the search path. */
function optionsOf(url: string): string {
  return URL.canParse(url) ? (new URL(url).searchParams.get('options') ?? '') : '';
}

/** The URL without its options, which would otherwise replace ours. */
export function withoutOptions(url: string): string {
  if (optionsOf(url) === '') return url;
  const stripped = new URL(url);
  stripped.searchParams.delete('options');
  return stripped.href;
}

/** Spaces and backslashes are escaped for the server, which splits the options at spaces. */
const toOption = ([name, value]: readonly [string, string]): string =>
  `-c ${name}=${value.replace(/[\\ ]/g, '\\$&')}`;

async function runOnce<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...config,
    connectionString: withoutOptions(config.connectionString ?? ''),
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Returns the schema of our tables, or of a new installation. The search path is then fixed to it:
 * a default that names several could find tables of another program.
 */
async function findSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(
    `select coalesce(
       (select relnamespace::regnamespace::text from pg_class
        where oid = to_regclass('migrations') or (relname = 'migrations'
          and relnamespace = to_regnamespace('public') and to_regclass('migrations') is null)),
       current_schema(), 'public') as schema`,
  );
  return rows[0]!.schema.replace(/^"(.*)"$/, '$1').replaceAll('""', '"');
}

async function requireSettings(client: pg.Client): Promise<void> {
  const needed = new Map(Object.entries(sessionSettings));
  for (const name of needed.keys()) if (name.endsWith('_timeout')) needed.delete(name);
  const { rows } = await client.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1::text[])',
    [[...needed.keys()]],
  );
  const wrong = rows.filter(
    ({ name, setting }) =>
      setting !== needed.get(name) && !(name === 'TimeZone' && utcNames.test(setting)),
  );
  if (wrong.length === 0) return;
  const fix = wrong.map(({ name }) => `${name} = '${needed.get(name)}'`).join(', ');
  throw new Error(`the pooler accepts no settings of a connection; set ${fix} for the database`);
}
