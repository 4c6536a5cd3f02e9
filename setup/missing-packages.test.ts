import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { missingPackages } from './missing-packages.mjs';

const folder = mkdtempSync(join(tmpdir(), 'vidgen-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const here = { optional: true, os: [process.platform], cpu: process.arch };
const packages = {
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
writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
mkdirSync(join(folder, 'node_modules/present'), { recursive: true });
writeFileSync(join(folder, 'node_modules/present/package.json'), '{}');

test('finds packages for this platform that npm did not install', () => {
  assert.deepEqual(missingPackages(folder, { includeDev: false }), ['@vendor/absent', 'nested']);
});

test('expects test tools only where they were to be installed', () => {
  assert.deepEqual(missingPackages(folder, { includeDev: true }), [
    '@vendor/absent',
    'tool',
    'nested',
  ]);
});
