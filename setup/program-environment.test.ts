import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { programEnvironment, programOptions } from './program-environment.mjs';

const folder = mkdtempSync(join(tmpdir(), 'vidgen-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('adds the compile cache to the environment of the user', () => {
  const { NODE_COMPILE_CACHE, ...rest } = programEnvironment({ PORT: '1' });
  assert.match(NODE_COMPILE_CACHE ?? '', /node_modules/);
  assert.deepEqual(rest, { PORT: '1' });
});

test('keeps a compile cache that the user has chosen, where Node stores stripped types', () => {
  const cache = join(folder, 'cache');
  const program = join(folder, 'program.ts');
  writeFileSync(program, 'export const one: number = 1;');
  const env = programEnvironment({ ...process.env, NODE_COMPILE_CACHE: cache });
  const { status } = spawnSync(process.execPath, [program], { env });
  assert.equal(status, 0);
  assert.equal(readdirSync(cache).length, 1);
});

test('reads .env in the project folder; the environment wins, and tests read none', () => {
  writeFileSync(join(folder, '.env'), 'FROM_FILE="a b"\nIN_BOTH=file\nEMPTY=file\n');
  const code = 'const { FROM_FILE, IN_BOTH, EMPTY } = process.env;';
  const print = 'process.stdout.write(JSON.stringify([FROM_FILE, IN_BOTH, EMPTY]))';
  const env = { ...process.env, IN_BOTH: 'environment', EMPTY: '' };
  const valuesFor = (purpose: 'start' | 'test' | 'dev', at = folder) => {
    const args = [...programOptions(purpose, at), '-e', `${code}${print}`];
    return JSON.parse(spawnSync(process.execPath, args, { env, encoding: 'utf8' }).stdout);
  };
  assert.deepEqual(valuesFor('start'), ['a b', 'environment', '']);
  assert.deepEqual(valuesFor('dev'), ['a b', 'environment', '']);
  assert.deepEqual(valuesFor('test'), [null, 'environment', '']);
  assert.deepEqual(valuesFor('start', join(folder, 'missing')), [null, 'environment', '']);
});
