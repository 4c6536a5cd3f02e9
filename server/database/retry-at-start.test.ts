import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { OwnDatabase } from '../../proof/kit/own-database.ts';
import { openPostgres } from './postgres.ts';
import { openRetrying } from './retry-at-start.ts';

test('a start goes on when the server moves to another process', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'vidgen-own-'));
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
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
