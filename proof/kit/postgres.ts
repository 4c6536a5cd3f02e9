/**
 * A real PostgreSQL for tests: the server of VIDGEN_TEST_DATABASE_URL, or a temporary one that ends
 * with the test process and deletes its files.
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

export async function startPostgres(): Promise<TestServer> {
  const givenUrl = process.env.VIDGEN_TEST_DATABASE_URL;
  if (givenUrl) return { url: givenUrl, stop: async () => {} };
  // Its own session, so that Ctrl-C reaches only the test process.
  const program = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url));
  const keeper = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  // Subscribed at once: an exit before `stop` would be missed.
  const ended = once(keeper, 'exit');
  const line = await firstLine(keeper.stdout);
  if ('failed' in line) {
    await ended;
    throw new Error(line.failed);
  }
  // The keeper must not keep a test process alive: it ends when the process does.
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

/** Creates a database for one test file from the template. */
export async function cloneDatabase(
  url: string,
  template: string,
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  // Starts with the template's name, so that dropping the template can find its clones.
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

export function databaseUrl(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/**
 * Runs one statement on its own connection: CREATE and DROP DATABASE need to be outside a
 * transaction.
 */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
