/** docs/reliability.md: every failure is covered by fault tests and test files that exist. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failures } from './failures.ts';
import { resultOf } from './fault-test.ts';
import { pageOf, tableOf } from './page.ts';
import { faultTests } from './registry.ts';
import { type PublishedResult, readResult } from './results.ts';

const root = join(import.meta.dirname, '../..');
const published = faultTests.map(({ name }) => readResult(name)).filter((one) => one !== null);

test('lists the failures by number, each with a fault test or a test', () => {
  assert.deepEqual(
    Object.keys(failures).map(Number),
    Object.keys(failures).map((_, at) => at + 1),
  );
  const shown = new Set(faultTests.flatMap((faultTest) => faultTest.failures));
  const uncovered = Object.entries(failures)
    .filter(([number, { tests }]) => tests.length === 0 && !shown.has(Number(number)))
    .map(([number]) => number);
  assert.deepEqual(uncovered, []);
});

test('names only tests that exist, and fault tests only failures that are listed', () => {
  for (const { tests } of Object.values(failures)) {
    for (const path of tests) assert.ok(existsSync(join(root, path)), path);
  }
  for (const { name, failures: shown } of faultTests) {
    for (const number of shown) assert.ok(failures[number], `${name} covers ${number}`);
  }
  assert.equal(new Set(faultTests.map(({ name }) => name)).size, faultTests.length);
});

test('publishes no result with a violation', () => {
  for (const { name, lost, doubled, unfinished, broken, violations } of published) {
    assert.deepEqual(
      { lost, doubled, unfinished, broken, violations },
      { lost: 0, doubled: 0, unfinished: 0, broken: 0, violations: [] },
      name,
    );
  }
});

test('shows the message of a violation', () => {
  const faultTest = faultTests.find(({ unit }) => unit === 'kills');
  const result: PublishedResult = {
    ...resultOf([{ acknowledged: 40, lost: ['task_1'], doubled: [], unfinished: [], broken: [] }]),
    ...{ name: faultTest!.name, asked: 3, runs: 3, seed: 1, minutes: 0.1 },
    ...{ endedOn: '2026-01-01', machine: '2 cores', load: 1 },
  };
  assert.match(tableOf([result]), /3 kills \| 40 \| 1 \| 0 \| 0 \| 0 \| 1 \|/);
  assert.match(pageOf([result]), /✖ lost: task_1/);
});
