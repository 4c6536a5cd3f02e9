import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { HomeLockedError, lockHome, tryLockServer } from './home-lock.ts';

const folder = makeTemporaryFolder('test');

const module = JSON.stringify(import.meta.resolve('./home-lock.ts'));
const script = `const { lockHome } = await import(${module});
  try {
    lockHome(process.argv[1]);
    gc(); // The lock stays although nothing refers to the result.
    process.stdout.write('held');
    process.stdin.on('end', () => process.exit()).resume(); // Until the test process ends.
  } catch (error) {
    process.stdout.write(error.name);
  }`;

function start(home: string): { child: ChildProcess; output: Promise<string> } {
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', script, home],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  return { child, output: once(child.stdout, 'data').then(String) };
}

test('one of three simultaneous starts locks the home; killing it unlocks it', async (t) => {
  const home = join(folder, 'contested');
  for (let round = 1; round <= 3; round++) {
    const starts = [start(home), start(home), start(home)];
    t.after(() => {
      for (const { child } of starts) child.kill('SIGKILL');
    });
    const ends = starts.map(({ child }) => once(child, 'exit'));
    const output = await Promise.all(starts.map((one) => one.output));
    assert.deepEqual(
      output.sort(),
      ['HomeLockedError', 'HomeLockedError', 'held'],
      `round ${round}`,
    );
    for (const { child } of starts) child.kill('SIGKILL');
    await Promise.all(ends);
  }
});

test('a rejected start names the owner and what to do', async (t) => {
  const home = join(folder, 'held');
  const { child, output } = start(home);
  t.after(() => child.kill('SIGKILL'));
  await output;
  assert.throws(
    () => lockHome(home),
    (error) => {
      assert.ok(error instanceof HomeLockedError);
      assert.match(
        error.message,
        new RegExp(`held is in use by process ${child.pid} on .+ \\(since `),
      );
      assert.match(error.message, /Stop that process, or set a different VIDGEN_HOME\.$/);
      return true;
    },
  );
});

test('a released home can be locked again, also by the same process', () => {
  const home = join(folder, 'returned');
  for (let time = 1; time <= 2; time++) {
    using _lock = lockHome(home);
    assert.throws(() => lockHome(home), HomeLockedError);
  }
});

test('one process with all roles, or several with one role each, use a home', () => {
  const home = join(folder, 'shared');
  {
    using _api = lockHome(home, { isShared: true });
    using _worker = lockHome(home, { isShared: true });
    assert.throws(() => lockHome(home), HomeLockedError);
    using server = tryLockServer(home);
    assert.ok(server);
    assert.equal(tryLockServer(home), null);
  }
  using _all = lockHome(home);
  assert.throws(() => lockHome(home, { isShared: true }), HomeLockedError);
  using server = tryLockServer(home);
  assert.ok(server);
});

test('a new home is closed to other users', { skip: process.platform === 'win32' }, () => {
  const home = join(folder, 'deep/new');
  using _lock = lockHome(home);
  assert.equal(statSync(home).mode & 0o777, 0o700);
});
