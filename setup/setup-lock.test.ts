import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { withSetupLock } from './setup-lock.mjs';

const folder = makeTemporaryFolder('test');
const never = new AbortController().signal;

/** Acquires the lock, writes to a log, holds the lock, writes again. Ends with the test process. */
const script = `import { appendFileSync } from 'node:fs';
import { withSetupLock } from ${JSON.stringify(import.meta.resolve('./setup-lock.mjs'))};
const [lockFolder, logFile, holdMs] = process.argv.slice(1);
process.stdin.on('end', () => process.exit(1)).resume().unref();
await withSetupLock(new AbortController().signal, async () => {
  appendFileSync(logFile, 'acquired ');
  process.stdout.write('acquired');
  await new Promise((resolve) => setTimeout(resolve, Number(holdMs)));
  appendFileSync(logFile, 'released ');
}, lockFolder);`;

function spawnHolder(name: string, holdMs: number) {
  const args = [join(folder, name), join(folder, `${name}.txt`), String(holdMs)];
  return spawn(process.execPath, ['--input-type=module', '-e', script, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

test('lets concurrent processes hold the lock one at a time', async () => {
  const ends = Array.from({ length: 5 }, () => once(spawnHolder('busy', 20), 'exit'));
  assert.deepEqual(await Promise.all(ends), Array(5).fill([0, null]));
  assert.equal(readFileSync(join(folder, 'busy.txt'), 'utf8'), 'acquired released '.repeat(5));
  assert.equal(readdirSync(join(folder, 'busy')).length, 1);
});

test('continues after the holder was killed', async () => {
  const killed = spawnHolder('killed', 1_000_000);
  await once(killed.stdout, 'data');
  const waiting = spawnHolder('killed', 0);
  killed.kill('SIGKILL');
  assert.deepEqual(await once(waiting, 'exit'), [0, null]);
});

test('releases the lock and passes the error on when the work fails', async () => {
  const lockFolder = join(folder, 'failing');
  const work = async () => {
    throw new Error('no network');
  };
  await assert.rejects(withSetupLock(never, work, lockFolder), { message: 'no network' });
  assert.equal(await withSetupLock(never, async () => 'done', lockFolder), 'done');
});

test('can be aborted while it waits', async (t) => {
  const holder = spawnHolder('held', 1_000_000);
  t.after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const stopped = new AbortController();
  const waiting = withSetupLock(stopped.signal, async () => {}, join(folder, 'held'));
  stopped.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
});
