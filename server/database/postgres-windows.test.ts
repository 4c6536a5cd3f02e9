/**
 * The own PostgreSQL as it runs on Windows; tested here on other systems, too.
 * Thorough: starts clusters as Windows does.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OwnDatabase, queryOn } from '../../proof/kit/own-database.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';

const home = makeTemporaryFolder('own');
const windows = { platform: 'win32' } as const;
const acknowledged = 'select count(*)::int from acknowledged';

/** Undefined while there is no server. */
function postmaster(): number | undefined {
  const file = join(home, 'postgres/postmaster.pid');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
}

test('listens on this machine only, with a password that others cannot read', async () => {
  await using database = new OwnDatabase(home, windows);
  const url = await database.ready;
  await database.query('create table acknowledged as select 1 as id');
  assert.deepEqual(await database.query('show listen_addresses'), ['127.0.0.1']);
  assert.deepEqual(await database.query('show fsync'), ['on']);
  const wrong = new URL(url);
  wrong.password = 'guessed';
  await assert.rejects(queryOn(wrong.href, acknowledged), { code: '28P01' });
  if (process.platform === 'win32') return;
  assert.equal(statSync(join(home, 'postgres-password')).mode & 0o777, 0o600);
});

test('a killed server is started again, and that of a killed service is replaced', async () => {
  const database = new OwnDatabase(home, windows);
  await database.ready;
  const first = postmaster();
  process.kill(first!, 'SIGKILL');
  await waitUntil(() => ![first, undefined].includes(postmaster()));
  assert.deepEqual(await database.query(acknowledged), [1]);
  await database.kill();
  const orphan = postmaster();
  await using next = new OwnDatabase(home, windows);
  assert.deepEqual(await next.query(acknowledged), [1]);
  assert.notEqual(postmaster(), orphan);
});
