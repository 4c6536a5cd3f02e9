/** A project with one dependency and one development dependency, both folders: no registry. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { packagesStep } from './packages.mjs';

const folder = mkdtempSync(join(tmpdir(), 'vidgen-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const write = (file: string, content: object) =>
  writeFileSync(join(folder, file), JSON.stringify(content));
const manifest = {
  name: 'project',
  version: '1.0.0',
  workspaces: [],
  dependencies: { needed: 'file:needed' },
  devDependencies: { tool: 'file:tool' },
};
for (const name of ['needed', 'tool']) {
  mkdirSync(join(folder, name));
  write(`${name}/package.json`, { name, version: '1.0.0' });
}
write('package.json', manifest);
write('package-lock.json', {
  ...{ name: 'project', version: '1.0.0', lockfileVersion: 3, requires: true },
  packages: {
    '': manifest,
    needed: { version: '1.0.0' },
    tool: { version: '1.0.0', dev: true },
    'node_modules/needed': { resolved: 'needed', link: true },
    'node_modules/tool': { resolved: 'tool', link: true },
  },
});

const { signal } = new AbortController();
const forStart = packagesStep({ includeDev: false }, folder);
const forTest = packagesStep({ includeDev: true }, folder);
const installed = () =>
  ['needed', 'tool'].filter((name) => existsSync(join(folder, 'node_modules', name)));

test('a start installs no development package, and a test run adds them', async () => {
  assert.equal(forStart.isFresh(), false);
  await forStart.run(signal);
  assert.deepEqual(installed(), ['needed']);
  assert.deepEqual([forStart.isFresh(), forTest.isFresh()], [true, false]);

  await forTest.run(signal);
  assert.deepEqual(installed(), ['needed', 'tool']);
  assert.deepEqual([forStart.isFresh(), forTest.isFresh()], [true, true]);
});

test('a changed lockfile is installed again', () => {
  write('package.json', { ...manifest, version: '1.0.1' });
  assert.deepEqual([forStart.isFresh(), forTest.isFresh()], [false, false]);
});
