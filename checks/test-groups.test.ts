/**
 * How test files are run.
 *
 * Thorough: starts test processes; `npm run check` runs it too.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { groupTestFiles } from './test-groups.ts';

const plain = "test('one', () => {});";
const tree = new Map([
  ...Array.from({ length: 14 }, (_, at) => [`plain/${at}.test.ts`, plain] as const),
  ['plain/imports.test.ts', `import './second-process.ts';\n${plain}`],
  ['own/environment.test.ts', `process.env.A = '1';\n${plain}`],
  ['own/clock.test.ts', `mock.timers.enable();\n${plain}`],
  ['own/empty.test.ts', ''],
]);

test('files that change nothing outside themselves share a process, others do not', () => {
  const groups = groupTestFiles(tree, [...tree.keys()], { filesMax: 12 });
  const sizes = groups.map(({ length }) => length);
  assert.deepEqual(sizes, [1, 1, 1, 12, 3]);
  assert.deepEqual(groups.flat().toSorted(), [...tree.keys()].toSorted());
  assert(groups.slice(0, 3).every(([file]) => file?.startsWith('own/')));
});

function write(folder: string, name: string, source: string): string {
  const file = join(folder, `${name}.test.ts`);
  writeFileSync(file, `import { after, before, test } from 'node:test';\n${source}`);
  return file;
}

function runGroupOf(folder: string, files: readonly string[]) {
  const module = JSON.stringify(import.meta.resolve('./test-groups.ts'));
  const source = `import { runGroup } from ${module};\nawait runGroup(${JSON.stringify(files)});`;
  const entry = join(folder, 'group.ts');
  writeFileSync(entry, source);
  // Inside a test, the runner would treat itself as a subtest and run nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, ['--test', entry], { env, encoding: 'utf8' });
}

test('each file of a group has its own hooks, and one that cannot be loaded fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vidgen-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const say = (what: string) => `console.log('said ${what}')`;
  const file = (name: string) =>
    write(
      folder,
      name,
      `${say(`load ${name}`)}; before(() => ${say(`before ${name}`)}); ` +
        `after(() => ${say(`after ${name}`)}); test('${name}', () => ${say(`test ${name}`)});`,
    );
  const broken = write(folder, 'b', `throw new Error('broken');`);
  const { status, stdout } = runGroupOf(folder, [file('a'), broken, file('c')]);
  const said = [...stdout.matchAll(/said (.+)/g)].map(([, what]) => what);
  const steps = (name: string) => ['load', 'before', 'test', 'after'].map((at) => `${at} ${name}`);
  assert.deepEqual(said, [...steps('a'), ...steps('c')]);
  assert.match(stdout, /✖ loading .*b\.test\.ts/);
  assert.match(stdout, /pass 2\b[\s\S]*fail 1\b/);
  assert.equal(status, 1);
});

test('a group that ends before its last file fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vidgen-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const leaving = write(folder, 'leaving', `test('a', () => process.exit(0));`);
  const { status } = runGroupOf(folder, [leaving, write(folder, 'other', `test('b', () => {});`)]);
  assert.equal(status, 1);
});
