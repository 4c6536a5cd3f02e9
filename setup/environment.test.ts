/** Environments of programs and tools; no other process of the user reads a secret in them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { command } from './command.mjs';
import { programEnvironment, programOptions } from './environment.mjs';
import { toolEnvironment } from './tool-environment.mjs';

const folder = makeTemporaryFolder('test');

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

const secrets = {
  VIDGEN_SECRET: 'canary',
  VIDGEN_ADMIN_TOKEN: 'canary',
  VIDGEN_DATABASE_URL: 'postgres://u:canary@h/d',
  FAL_KEY: 'canary',
  ANY_NAME_OF_A_CONFIGURATION: 'canary',
  STRIPE_SECRET_KEY: 'canary',
};

test('keeps what npm and Node need', () => {
  const needed = {
    PATH: '/bin',
    Path: 'C:\\',
    HTTPS_PROXY: 'http://proxy',
    npm_config_registry: 'https://r',
    NPM_TOKEN: 't',
    NODE_EXTRA_CA_CERTS: '/ca',
  };
  assert.deepEqual(toolEnvironment({ ...needed, ...secrets }), needed);
});

test('a command of the setup runs without the secrets', async () => {
  const file = join(folder, 'environment.json');
  const write = `writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))`;
  const program = `require('fs').${write}`;
  const before = { ...process.env };
  Object.assign(process.env, secrets);
  try {
    const { signal } = new AbortController();
    await command(process.execPath, ['-e', program], { cwd: folder, signal });
  } finally {
    for (const name of Object.keys(secrets)) delete process.env[name];
    Object.assign(process.env, before);
  }
  assert.ok(existsSync(file));
  assert.doesNotMatch(readFileSync(file, 'utf8'), /canary/);
});

const skip = process.platform !== 'linux' && 'only on Linux it can be erased';

test('erases everything, and the process goes on', { skip }, () => {
  const script = `
    const { spawnSync } = require('node:child_process');
    const { readFileSync } = require('node:fs');
    import('${new URL('environment.mjs', import.meta.url).href}').then((module) => {
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
