/**
 * Processes that share the own PostgreSQL of a home directory: one of them runs the server.
 * Thorough: starts services that take over from one another.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { OwnDatabase } from '../../proof/kit/own-database.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';

const home = mkdtempSync(join(tmpdir(), 'vidgen-own-'));
const processes: OwnDatabase[] = [];
after(async () => {
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function start(): OwnDatabase {
  const started = new OwnDatabase(home, { isShared: true });
  processes.push(started);
  return started;
}

const ownerPid = () => JSON.parse(readFileSync(join(home, 'holder.json'), 'utf8')).pid as number;

const insert = (database: OwnDatabase) => database.query('insert into acknowledged values (1)');

test('another process takes over the server when its owner ends', async () => {
  let shared = [start(), start(), start()];
  await Promise.all(shared.map(({ ready }) => ready));
  await shared[0]!.query('create table acknowledged (id int)');
  let acknowledged = 0;
  for (const ending of ['kill', 'stop', 'kill'] as const) {
    const owner = shared.find((one) => one.process.pid === ownerPid())!;
    const others = shared.filter((one) => one !== owner);
    await insert(others[0]!);
    acknowledged++;
    await owner[ending]();
    await waitUntil(() => others.some((one) => one.process.pid === ownerPid()));
    for (const other of others) await insert(other);
    acknowledged += others.length;
    const next = start();
    await next.ready;
    shared = [...others, next];
  }
  assert.deepEqual(await shared[0]!.query('select count(*)::int from acknowledged'), [
    acknowledged,
  ]);
});

test('a process for itself and processes that share refuse each other', async () => {
  const alone = new OwnDatabase(home);
  await assert.rejects(alone.ready, { name: 'HomeLockedError' });
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
  await using only = new OwnDatabase(home);
  await only.ready;
  await assert.rejects(start().ready, { name: 'HomeLockedError' });
});
