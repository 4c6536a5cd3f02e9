/**
 * The own PostgreSQL on a disk that is full, and has room again.
 *
 * Thorough: mounts a small disk as root, and fills it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isRunning, OwnDatabase, queryOn } from '../../proof/kit/own-database.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';

const home = mkdtempSync(join(tmpdir(), 'vidgen-own-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=130m,mode=700', 'tmpfs', home]);
after(() => {
  if (mounted.status === 0) spawnSync('umount', ['--lazy', home]);
  rmSync(home, { recursive: true, force: true });
});
const filler = join(home, 'filler');
const skip = mounted.status !== 0 && 'cannot mount a disk here';

test('a full disk loses no commit, and the database recovers with room', { skip }, async () => {
  await using database = new OwnDatabase(home);
  const url = await database.ready;
  await database.query('create table acknowledged (payload text)');
  const { postmaster } = database.processes;
  const payload = `(select string_agg(md5(random()::text), '') from generate_series(1, 3000))`;
  const insert = `insert into acknowledged select ${payload}`;
  await queryOn(url, insert);
  fillDisk();
  const acknowledged = 1 + (await countUntilItFails(() => queryOn(url, insert)));
  // Without room for the next segment of its log, the server ends, and cannot start again.
  const write = `select pg_logical_emit_message(true, 'filler', ${payload})`;
  await countUntilItFails(() => queryOn(url, write));
  await waitUntil(() => !isRunning(postmaster));
  rmSync(filler);
  const [kept] = await database.query('select count(*)::int from acknowledged');
  assert.ok(Number(kept) >= acknowledged, `${kept} of ${acknowledged}`);
  await queryOn(url, insert);
});

async function countUntilItFails(work: () => Promise<unknown>): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await work();
    } catch {
      return count;
    }
  }
}

function fillDisk(): void {
  try {
    for (;;) appendFileSync(filler, Buffer.alloc(4096));
  } catch {
    // Full.
  }
}
