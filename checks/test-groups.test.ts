import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupTestFiles } from './test-groups.ts';

const plain = "test('one', () => {});";
const tree = new Map([
  ...Array.from({ length: 14 }, (_, at) => [`plain/${at}.test.ts`, plain] as const),
  ['own/hook.test.ts', `after(() => close());\n${plain}`],
  ['own/environment.test.ts', `process.env.A = '1';\n${plain}`],
  ['own/clock.test.ts', `mock.timers.enable();\n${plain}`],
  ['own/empty.test.ts', ''],
]);

test('files that change nothing outside themselves share a process, others do not', () => {
  const groups = groupTestFiles(tree, [...tree.keys()]);
  const sizes = groups.map(({ length }) => length);
  assert.deepEqual(sizes, [1, 1, 1, 1, 12, 2]);
  assert.deepEqual(groups.flat().toSorted(), [...tree.keys()].toSorted());
  assert(groups.slice(0, 4).every(([file]) => file?.startsWith('own/')));
});
