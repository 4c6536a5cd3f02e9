/**
 * A real PostgreSQL for tests: the server VIDGEN_TEST_DATABASE_URL names, or a throw-away one that
 * ends, and takes its files along, when the test process does, however that happens.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { KeeperMessage } from './postgres-keeper.ts';

export type TestServer = {
  /** The maintenance database of a server on which tests may create databases. */
  readonly url: string;
  stop(): Promise<void>;
};

export async function startPostgres(
  options: { readonly durable?: boolean } = {},
): Promise<TestServer> {
  const givenUrl = process.env.VIDGEN_TEST_DATABASE_URL;
  if (givenUrl) return { url: givenUrl, stop: async () => {} };
  // A session of its own: a terminal's Ctrl-C is for us to handle, and PostgreSQL must outlive it.
  const keeper = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url)),
      ...(options.durable ? ['--durable'] : []),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  );
  // Subscribed from the start: an end that comes before `stop` would be missed by it.
  const ended = once(keeper, 'exit');
  const line = await firstLine(keeper.stdout);
  if ('failed' in line) {
    await ended;
    throw new Error(line.failed);
  }
  // The keeper must not hold back the end of a test that never stops it: it ends by that end.
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout]) (stream as unknown as Unrefable).unref();
  return {
    url: line.url,
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await ended;
    },
  };
}

type Unrefable = { unref(): void };

async function firstLine(stream: AsyncIterable<Buffer>): Promise<KeeperMessage> {
  let buffered = '';
  for await (const chunk of stream) {
    buffered += chunk;
    if (buffered.includes('\n')) return JSON.parse(buffered) as KeeperMessage;
  }
  return { failed: `PostgreSQL for tests ended before it had started. ${buffered}` };
}

let clones = 0;

/** A database of its own for one test file, as the template is at this moment. */
export async function cloneDatabase(
  url: string,
  template: string,
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  // Begins with the template's name, so that whoever drops the template finds its clones as well.
  const family = template === 'template0' ? 'vidgen_test' : template;
  const name = `${family}_${process.pid}_${++clones}`;
  const quoted = pg.escapeIdentifier(name);
  await onServer(
    url,
    `create database ${quoted} template ${pg.escapeIdentifier(template)} strategy wal_log`,
  );
  return {
    url: databaseUrl(url, name),
    drop: () => onServer(url, `drop database if exists ${quoted} with (force)`),
  };
}

/** The same server, another database. */
export function databaseUrl(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** One statement on a connection of its own: databases are not made or dropped in a transaction. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
