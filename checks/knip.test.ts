/**
 * knip finds no unused file and no unused export; a planted project proves that it would.
 *
 * Thorough: reads the whole project four times; `npm run check` runs it too.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { deleteFolder, makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { runTool } from './tool.ts';
import { root } from './tree.ts';

const knip = 'knip/bin/knip.js';
const unusedExports = ['--include', 'files,exports,types,duplicates'];
/** A file that only its own test imports is unused too. */
const unusedFiles = ['--production', '--include', 'files'];

const planted = {
  'package.json': '{ "name": "planted", "private": true, "workspaces": ["server"] }',
  'server/package.json': '{ "name": "@planted/server", "type": "module" }',
  'server/main.ts': "import { used } from './used.ts';\nused();",
  'server/used.ts': 'export const used = () => 1;\nexport const unused = 2;',
  'server/tested.ts': 'export const tested = 3;',
  'server/tested.test.ts': "import { tested } from './tested.ts';\ntested;",
};

test('every export is used', async () => {
  await runTool(knip, ['--no-progress', '--no-config-hints', ...unusedExports]);
});

test('every file is used by more than its test', async () => {
  await runTool(knip, ['--no-progress', '--no-config-hints', ...unusedFiles]);
});

test('knip reports an unused export, and a file that only its test uses', (t) => {
  const folder = makeTemporaryFolder('knip');
  t.after(() => deleteFolder(folder));
  for (const [path, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  cpSync(join(root, 'knip.json'), join(folder, 'knip.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'node_modules', knip), '--no-progress', ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).stdout;
  assert.match(run(...unusedExports), /Unused exports \(1\)\nunused +server\/used\.ts/);
  assert.match(run(...unusedFiles), /Unused files \(1\)\nserver\/tested\.ts/);
});
