/**
 * Formatting and the lint rules of biome.json, which editors show too; ours are proven here.
 *
 * Thorough: reads the whole project; `npm run check` runs it too.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { runTool } from './tool.ts';
import { root } from './tree.ts';

const biome = '@biomejs/biome/bin/biome';
const lines = (count: number) => '  work();\n'.repeat(count);

/** Each file, with the rule it breaks; null where it breaks none. */
const fixtures: readonly { path: string; code: string; rule: string | null }[] = [
  { path: 'server/console.ts', code: "console.log('x');", rule: 'noConsole' },
  { path: 'server/default.ts', code: 'export default 1;', rule: 'noDefaultExport' },
  { path: 'a.config.ts', code: 'export default 1;', rule: null },
  { path: 'server/skip.test.ts', code: "test.skip('x', () => {});", rule: 'noSkippedTests' },
  {
    path: 'server/long.ts',
    code: `export function a() {\n${lines(81)}}\n`,
    rule: 'noExcessiveLinesPerFunction',
  },
  { path: 'server/long.test.ts', code: `test('a', () => {\n${lines(90)}});\n`, rule: null },
  { path: 'dashboard/a.tsx', code: `export function A() {\n${lines(110)}}\n`, rule: null },
  {
    path: 'dashboard/long.tsx',
    code: `export function A() {\n${lines(121)}}\n`,
    rule: 'noExcessiveLinesPerFunction',
  },
  { path: 'server/file.ts', code: lines(401), rule: 'noExcessiveLinesPerFile' },
];

test('Biome reports no problem (`npm run format` fixes most)', async () => {
  await runTool(biome, ['check', '--error-on-warnings', '--colors=off']);
});

test('Biome reports what our rules forbid, and nothing else', () => {
  const folder = makeTemporaryFolder('biome');
  for (const { path, code } of fixtures) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', biome),
      'lint',
      '--vcs-enabled=false',
      `--config-path=${root}`,
      '.',
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  const reported = [...(stdout + stderr).matchAll(/^(\S+?):\d+:\d+ lint\/\w+\/(\w+)/gm)];
  for (const { path, rule } of fixtures) {
    const found = reported.filter(([, file]) => file === path).map(([, , name]) => name);
    assert.deepEqual(found, rule === null ? [] : [rule], path);
  }
});
