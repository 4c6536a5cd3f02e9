import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { loadEnvFile } from './start-environment.ts';

const folder = makeTemporaryFolder('env-file');
const file = join(folder, '.env');

test('reads the file, and a variable of the environment wins, also an empty one', () => {
  writeFileSync(file, 'FROM_FILE="a b"\nIN_BOTH=file\nEMPTY=file\n');
  const valuesWith = (path: string) => {
    const environment = { IN_BOTH: 'environment', EMPTY: '', VIDGEN_TEST_ENV_FILE: path };
    loadEnvFile(environment);
    const { VIDGEN_TEST_ENV_FILE: _, ...values } = environment;
    return values;
  };
  const own = { IN_BOTH: 'environment', EMPTY: '' };
  assert.deepEqual(valuesWith(file), { ...own, FROM_FILE: 'a b' });
  assert.deepEqual(valuesWith('off'), own);
  assert.deepEqual(valuesWith(join(folder, 'missing')), own);
});

test('the service reads it without npm', () => {
  writeFileSync(file, 'PORT=many\n');
  const main = join(import.meta.dirname, '../main.ts');
  const env = { PATH: process.env.PATH ?? '', VIDGEN_TEST_ENV_FILE: file };
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /PORT must be a whole number/);
});
