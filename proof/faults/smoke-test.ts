/** Runs a fault test of `npm run faults` once and small, as a test of `npm test`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultTest } from './fault-test.ts';
import { missingRequirements } from './requirements.ts';

export function smokeTest(faultTest: FaultTest, runs: number): void {
  const missing = missingRequirements(faultTest.requirements);
  const skip = missing.length > 0 ? { skip: missing.join('; ') } : {};
  test(faultTest.title, skip, async (t) => {
    const log = (line: string) => t.diagnostic(line);
    const { signal } = new AbortController();
    const result = await faultTest.run({ runs, seed: 1, log, saveProgress: () => {}, signal });
    assert.deepEqual(result.violations, []);
    assert.equal(result.runs, runs);
    assert.ok(result.acknowledged > 0);
  });
}
