/** The launcher keeps no secret of the service where other processes of the user can read it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const skip = process.platform !== 'linux' && 'only on Linux it can be erased';

test('erases everything, and the process goes on', { skip }, () => {
  const script = `
    const { spawnSync } = require('node:child_process');
    const { readFileSync } = require('node:fs');
    import('${new URL('erase-environment.mjs', import.meta.url).href}').then((module) => {
      const before = readFileSync('/proc/self/environ', 'latin1');
      module.eraseEnvironment();
      const isErased = readFileSync('/proc/self/environ').every((byte) => byte === 0);
      const child = spawnSync(process.execPath, ['-p', '1 + 1'], { env: {}, encoding: 'utf8' });
      const shown = [before.includes('a secret'), isErased, process.env.SECRET ?? null];
      console.log(JSON.stringify([...shown, child.stdout.trim()]));
    });`;
  const child = spawnSync(process.execPath, ['-e', script], {
    env: { PATH: process.env.PATH, SECRET: 'a secret' },
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(child.stdout), [true, true, null, '2'], child.stderr);
});
