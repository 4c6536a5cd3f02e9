/**
 * A database whose defaults differ from those of PostgreSQL serves as well as any other: every
 * setting that matters is set for each connection.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, test } from 'node:test';
import { createTask, startJourney } from '../../proof/kit/journey.ts';
import { cloneDatabase, startPostgres } from '../../proof/kit/postgres.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openPostgres } from './postgres.ts';

const oddDefaults = {
  datestyle: `'SQL, DMY'`,
  intervalstyle: `'sql_standard'`,
  timezone: `'Asia/Kathmandu'`,
  bytea_output: `'escape'`,
  client_encoding: `'LATIN1'`,
  extra_float_digits: '0',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: `'serializable'`,
  default_transaction_read_only: 'on',
  default_transaction_deferrable: 'on',
  statement_timeout: '1',
  lock_timeout: '1',
  idle_session_timeout: '1',
  search_path: `'nowhere'`,
};

/** Sets the odd defaults of the database; they hold for connections that are opened later. */
async function makeOdd(url: string): Promise<void> {
  const db = await openPostgres(url, { connectionsMax: 1 });
  const { rows } = await db.query<{ name: string }>('select current_database() as name');
  await db.transaction(async (tx) => {
    for (const [setting, value] of Object.entries(oddDefaults)) {
      await tx.query(`alter database ${rows[0]!.name} set ${setting} = ${value}`);
    }
  });
  await db.close();
}

const server = await startPostgres();
after(() => server.stop());

async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const { url, drop } = await cloneDatabase(server.url, 'template0');
  await work(url).finally(drop);
}

test('a task is created, generated and settled on a database with odd defaults', async () => {
  await using journey = await startJourney({
    prepareDatabase: makeOdd,
    script: { status: ['completed'] },
  });
  const { service, receiver } = journey;
  const { client, taskId, final, available } = await createTask(service, {
    input: { prompt: 'Ein Boot – "größer" \\ als\n\'andere\' 🚣' },
    callback_url: receiver.url,
  });
  const { rows } = await service.db.query('show datestyle');
  assert.deepEqual(rows, [{ DateStyle: 'ISO, MDY' }]);
  const task = await final();
  assert.equal(task.status, 'completed', JSON.stringify(task));
  assert.equal(await available(), 100 - task.credits);
  assert.equal((await client.get('/v1/tasks')).status, 200);
  for (const path of ['/admin/tasks', '/admin/system', `/admin/tasks/${taskId}`, '/admin/audit']) {
    const { status, body } = await service.admin.get(path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  }
  await service.assertInvariants();
});

test('migrates an empty database with odd defaults, into the schema public', async () => {
  await withDatabase(async (url) => {
    await makeOdd(url);
    const db = await openPostgres(url);
    await migrate(db);
    const { rows } = await db.query(`select to_regclass('public.tasks') is not null as exists`);
    assert.deepEqual(rows, [{ exists: true }]);
    await db.close();
  });
});

test('keeps to a schema that the operator has chosen', async () => {
  await withDatabase(async (url) => {
    const opened: Database[] = [];
    const open = async (options: string) => {
      const db = await openPostgres(`${url}?options=${encodeURIComponent(options)}`);
      opened.push(db);
      return db;
    };
    const first = await open('');
    await first.query('create schema "Our Videos"');
    const db = await open(String.raw`-c search_path="Our\ Videos"`);
    await migrate(db);
    const { rows } = await db.query(`select to_regclass('"Our Videos".tasks') is not null as own,
      to_regclass('public.tasks') is null as none`);
    assert.deepEqual(rows, [{ own: true, none: true }]);
    for (const one of opened) await one.close();
  });
});

test('behind a pooler without settings, the database must have the right ones', async () => {
  await withDatabase(async (url) => {
    const database = new URL(url).pathname.slice(1);
    const db = await openPostgres(url, { connectionsMax: 1 });
    await using pooler = await startStrictPooler(url);
    const open = async (timeZone: string) => {
      await db.query(`alter database ${database} set timezone = '${timeZone}'`);
      await (await openPostgres(pooler.url)).close();
    };
    for (const utc of ['UTC', 'Etc/UTC', 'GMT']) await open(utc);
    await assert.rejects(open('Asia/Kathmandu'), /set TimeZone = 'UTC' for the database/);
    await db.close();
  });
});

/** Rejects a startup message with `options`, like PgBouncer, and passes everything else on. */
async function startStrictPooler(url: string) {
  const { port, pathname } = new URL(url);
  const body = 'SERROR\0C08P01\0Munsupported startup parameter: options\0\0';
  const refusal = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.of(body.length + 4)]);
  const proxy = createServer((client) => {
    client.on('error', () => {});
    client.once('data', (startup: Buffer) => {
      if (startup.includes('\0options\0')) return void client.end(`${refusal}${body}`);
      const upstream = connect(Number(port), '127.0.0.1').on('error', () => client.destroy());
      upstream.write(startup);
      client.pipe(upstream).pipe(client);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `postgres://vidgen@127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`,
    [Symbol.asyncDispose]: async () => void proxy.close(),
  };
}
