/** Tools of the setup see no secret of the service. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command } from './command.mjs';
import { toolEnvironment } from './tool-environment.mjs';

const folder = mkdtempSync(join(tmpdir(), 'vidgen-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

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
