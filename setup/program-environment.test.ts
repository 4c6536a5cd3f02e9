import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { programEnvironment } from './program-environment.mjs';

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
