import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { loadAdminToken } from './bootstrap.ts';

const folder = makeTemporaryFolder('test');

test('generates an admin token once, readable only by its owner', () => {
  const home = join(folder, 'new');
  const token = loadAdminToken(home, null);
  assert.match(token, /^vg_admin_[\w-]{43}$/);
  assert.equal(readFileSync(join(home, 'admin-token'), 'utf8'), `${token}\n`);
  assert.equal(loadAdminToken(home, null), token);
  assert.deepEqual(readdirSync(home), ['admin-token']);
  if (process.platform === 'win32') return;
  assert.equal(statSync(join(home, 'admin-token')).mode & 0o777, 0o600);
});

test('replaces an empty admin token file, which a power cut can leave', () => {
  const home = join(folder, 'damaged');
  loadAdminToken(home, null);
  writeFileSync(join(home, 'admin-token'), '');
  const token = loadAdminToken(home, null);
  assert.match(token, /^vg_admin_/);
  assert.equal(loadAdminToken(home, null), token);
  assert.deepEqual(readdirSync(home), ['admin-token']);
});

test('a configured admin token is not written to the home directory', () => {
  const home = join(folder, 'configured');
  assert.equal(
    loadAdminToken(home, 'an admin token that only tests know'),
    'an admin token that only tests know',
  );
  assert.throws(() => readdirSync(home), { code: 'ENOENT' });
});
