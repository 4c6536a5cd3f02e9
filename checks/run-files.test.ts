/**
 * How test files are run.
 *
 * Thorough: starts test processes; `npm run check` runs it too.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import type { TestRunResult } from './run-files.ts';
import { testFiles } from './test-files.ts';
import { isTest, readTree } from './tree.ts';

const folder = makeTemporaryFolder('test');

const module = JSON.stringify(import.meta.resolve('./run-files.ts'));
const runner = join(folder, 'runner.mjs');
writeFileSync(
  runner,
  `import { runFiles } from ${module};
  const outcome = await runFiles(process.argv.slice(2), { signal: new AbortController().signal });
  process.stdout.write('\\n' + JSON.stringify(outcome));
  process.exit();`,
);

// Inside a test, the runner would treat itself as a subtest and run nothing.
const { NODE_TEST_CONTEXT: _, ...env } = process.env;

async function runAndParse(
  sources: Readonly<Record<string, string>>,
): Promise<Omit<TestRunResult, 'files'> & { readonly timed: readonly string[] }> {
  const paths = Object.entries(sources).map(([name, source]) => {
    const file = join(folder, name);
    writeFileSync(file, `import { test } from 'node:test';\n${source}`);
    return file;
  });
  const output = await text(
    spawn(process.execPath, [runner, ...paths], { cwd: folder, env }).stdout,
  );
  const { files, ...result } = JSON.parse(output.slice(output.lastIndexOf('\n'))) as TestRunResult;
  return { ...result, timed: files.map(({ file }) => file).sort() };
}

test('tests are counted by how they ended, and failures named with their file', async () => {
  const result = await runAndParse({
    'a.test.ts': `test('good', () => {}); test('left out', { skip: 'no browser' }, () => {});`,
    'b.test.ts': `test('outer', (t) => t.test('inner', () => { throw new Error('no'); }));`,
  });
  assert.deepEqual(result, {
    passed: 1,
    failed: 2,
    skipped: 1,
    failures: ['inner (b.test.ts)'],
    unstable: [],
    timed: ['a.test.ts', 'b.test.ts'],
  });
});

test('a file without a test fails, and so does one that breaks while it is read', async () => {
  const empty = await runAndParse({ 'c.test.ts': '' });
  assert.deepEqual(empty.failures, ['a file without a test (c.test.ts)']);
  const broken = await runAndParse({ 'd.test.ts': `throw new Error('broken');` });
  assert.deepEqual([broken.passed, broken.failed], [0, 1]);
});

test('what fails once and passes alone is reported as unstable', async () => {
  const marker = JSON.stringify(join(folder, 'has-run'));
  const result = await runAndParse({
    'h.test.ts': `import { existsSync, writeFileSync } from 'node:fs';
      test('steady', () => {});
      test('shaky', () => {
        if (existsSync(${marker})) return;
        writeFileSync(${marker}, '');
        throw new Error('busy');
      });`,
    'i.test.ts': `test('beside it', () => {});`,
  });
  assert.deepEqual(result, {
    passed: 3,
    failed: 0,
    skipped: 0,
    failures: [],
    unstable: ['shaky (h.test.ts)'],
    timed: ['h.test.ts', 'i.test.ts'],
  });
});

const groups = {
  'a group that ends before its last file fails': { body: 'process.exit(0)', status: 1 },
  'a group whose file leaves a timer ends': { body: 'setInterval(() => {}, 1000)', status: 0 },
};
for (const [name, { body, status }] of Object.entries(groups)) {
  test(name, () => {
    const [first, other] = ['first', 'other'].map((file) => join(folder, `${file}.test.ts`));
    writeFileSync(first!, `import { test } from 'node:test';\ntest('a', () => { ${body}; });`);
    writeFileSync(other!, `import { test } from 'node:test';\ntest('b', () => {});`);
    const group = join(folder, 'group.ts');
    const module = JSON.stringify(import.meta.resolve('./test-groups.ts'));
    const files = JSON.stringify([first, other]);
    writeFileSync(group, `import { runGroup } from ${module};\nawait runGroup(${files});`);
    const run = spawnSync(process.execPath, ['--test', group], { env, timeout: 60_000 });
    assert.equal(run.status, status);
  });
}

test('every test file is in one of the two suites', () => {
  const tree = readTree();
  const suites = [testFiles(tree), testFiles(tree, { isThorough: true })];
  const run = new Set(suites.flatMap((suite) => [...suite.withoutDatabase, ...suite.withDatabase]));
  assert.deepEqual([...run].toSorted(), [...tree.keys()].filter(isTest).toSorted());
});
