/**
 * A sample of the fault test `hostile-expressions`, and what it would find.
 * Thorough: a sample of a long fault test; `checks/regexes.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expressionWork, hostileExpressions, problemOf } from './hostile-expressions.ts';

test('no expression and no parser takes more than linear time', async (t) => {
  const log = (line: string) => t.diagnostic(line);
  const { signal } = new AbortController();
  const options = { runs: 300, seed: 1, log, saveProgress: () => {}, signal };
  const result = await hostileExpressions.run(options);
  assert.deepEqual(result.violations, []);
  assert.equal(result.runs, 300);
});

test('finds a quadratic expression', () => {
  const spaces = (size: number) => `${' '.repeat(size)}x`;
  const work = expressionWork({ source: String.raw`[ \t]+$`, flags: 'g' }, spaces);
  assert.match(problemOf(work) ?? '', /times the processor time/);
});
