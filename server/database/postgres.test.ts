/** Connections: none free, or through a pooler that drops notifications. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TcpProxy } from '../../proof/faults/database/tcp-proxy.ts';
import { startPostgres, type TestServer } from '../../proof/kit/postgres.ts';
import { openPostgres } from './postgres.ts';

let server: TestServer;
before(async () => {
  server = await startPostgres();
});
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
