/** A project with one dependency and one development dependency, both folders: no registry. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { missingPackages } from './missing-packages.mjs';
import { packagesStep } from './packages.mjs';

const folder = makeTemporaryFolder('test');

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
  name: 'project',
  version: '1.0.0',
  lockfileVersion: 3,
  requires: true,
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

const platform = makeTemporaryFolder('test');
const here = { optional: true, os: [process.platform], cpu: process.arch };
const locked = {
  '': {},
  'node_modules/present': here,
  'node_modules/@vendor/absent': here,
  'node_modules/tool': { ...here, dev: true },
  'node_modules/a/node_modules/nested': { optional: true, os: [`!${process.platform}2`] },
  'node_modules/elsewhere': { ...here, os: ['elsewhere'] },
  'node_modules/not-here': { optional: true, os: [`!${process.platform}`] },
  'node_modules/other-processor': { ...here, cpu: ['other'] },
  'node_modules/for-any-platform': { optional: true },
};
writeFileSync(join(platform, 'package-lock.json'), JSON.stringify({ packages: locked }));
mkdirSync(join(platform, 'node_modules/present'), { recursive: true });
writeFileSync(join(platform, 'node_modules/present/package.json'), '{}');

test('finds packages for this platform that npm did not install', () => {
  assert.deepEqual(missingPackages(platform, { includeDev: false }), ['@vendor/absent', 'nested']);
});

test('expects test tools only where they were to be installed', () => {
  assert.deepEqual(missingPackages(platform, { includeDev: true }), [
    '@vendor/absent',
    'tool',
    'nested',
  ]);
});
