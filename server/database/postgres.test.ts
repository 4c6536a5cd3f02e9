/** Connections: none free, a server that is away, or a pooler that drops notifications. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TcpProxy } from '../../proof/faults/database/tcp-proxy.ts';
import { reservePort } from '../../proof/faults/service-process.ts';
import { OwnDatabase } from '../../proof/kit/own-database.ts';
import { startPostgres } from '../../proof/kit/postgres.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { sleep } from '../process/clock.ts';
import { DatabaseUnavailableError } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openRetrying } from './retry-at-start.ts';

const server = await startPostgres();
after(() => server.stop());

test('a query times out while all connections are in use, and the next one works', async () => {
  const db = await openPostgres(server.url, { connectionsMax: 1 });
  await db.transaction(async (tx) => {
    await assert.rejects(db.query('select 1'), /timeout/);
    await tx.query('select 1');
  });
  assert.deepEqual((await db.query('select 1 as one')).rows, [{ one: 1 }]);
  await db.close();
});

test('what was not sent waits while the server is away, reads in flight are repeated', async () => {
  const { port } = new URL(server.url);
  const wire = await TcpProxy.open({ to: Number(port) });
  const db = await openPostgres(wire.proxyUrl(server.url), { connectionsMax: 3 });
  const reading = db.query<{ one: number }>('select 1 as one, pg_sleep(0.5)');
  const writing = db.transaction((tx) => tx.query('select pg_sleep(60)'));
  const repeatable = db.transaction((tx) => tx.query('select pg_sleep(0.5)'), {
    isRepeatable: true,
  });
  await sleep(100);
  wire.retarget(await reservePort());
  const failed = assert.rejects(writing, /Connection terminated|ECONNRESET/);
  const waiting = [
    db.query('select 1 as one'),
    db.transaction((tx) => tx.query('select 1 as one')),
    db.transaction((tx) => tx.query('select 1 as one'), { readsFirst: true }),
  ];
  await failed;
  wire.retarget(Number(port));
  for (const { rows } of await Promise.all(waiting)) assert.deepEqual(rows, [{ one: 1 }]);
  assert.equal((await reading).rows[0]?.one, 1);
  assert.equal((await repeatable).rowCount, 1);
  await db.close();
  await wire.close();
});

test('a server that stays away is an error after the wait, at once if too many wait', async () => {
  const wire = await TcpProxy.open({ to: Number(new URL(server.url).port) });
  const limits = { waitMsMax: 1000, waitingMax: 2 };
  const db = await openPostgres(wire.proxyUrl(server.url), limits);
  await wire.close();
  const order: string[] = [];
  const waiting = [1, 2].map(async (nth) => {
    await assert.rejects(db.query('select 1'), DatabaseUnavailableError);
    order.push(`waited ${nth}`);
  });
  await assert.rejects(db.query('select 1'), /too many wait/);
  assert.deepEqual(order, []);
  await Promise.all(waiting);
  await db.close();
});

test('receives notifications behind a pooler that drops them', async () => {
  const wire = await TcpProxy.open({ to: Number(new URL(server.url).port) });
  wire.dropNotifications();
  const db = await openPostgres(wire.proxyUrl(server.url), { listenUrl: server.url });
  const { promise: notification, resolve } = Promise.withResolvers<string>();
  await db.listen('news', resolve);
  await db.query(`select pg_notify('news', 'a key was revoked')`);
  assert.equal(await notification, 'a key was revoked');
  await db.close();
  await wire.close();
});

test('a start goes on when the server moves to another process', async () => {
  const home = makeTemporaryFolder('own');
  const first = new OwnDatabase(home);
  const url = await first.ready;
  await first.stop();
  const started = new AbortController();
  const opening = openRetrying(() => openPostgres(url), started.signal);
  const second = new OwnDatabase(home);
  const db = await opening;
  await db.query('select 1');
  await second.kill();
  const waiting = [
    db.query('select 1 as one'),
    db.transaction((tx) => tx.query('select 1 as one')),
  ];
  const listening = db.listen('moved', () => {});
  await using third = new OwnDatabase(home);
  for (const { rows } of await Promise.all(waiting)) assert.deepEqual(rows, [{ one: 1 }]);
  await listening;
  await assert.rejects(db.query('select no_such_column'), { code: '42703' });
  started.abort();
  await third.stop();
  await assert.rejects(db.query('select 1'));
  await db.close();
});
