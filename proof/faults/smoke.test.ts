/**
 * Proofs of `npm run faults` that need a server, a disk or a crowd of their own, each run once and
 * small.
 * One engine: the proofs bring their own databases.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { millionTaskBacklog } from './backlog/crowd.ts';
import { databaseDiskFull } from './database/disk-full.ts';
import { standbyFailover } from './database/failover.ts';
import type { FaultTest } from './fault-test.ts';
import { missingRequirements } from './requirements.ts';

// Theirs are not the server of the other tests, and not its template.
delete process.env.VIDGEN_TEST_TEMPLATE;

const smokeRuns: readonly (readonly [proof: FaultTest, runs: number])[] = [
  [standbyFailover, 1],
  [databaseDiskFull, 1],
  [millionTaskBacklog, 5000],
];

for (const [faultTest, runs] of smokeRuns) {
  const missing = missingRequirements(faultTest.requirements);
  const skip = missing.length > 0 ? { skip: missing.join('; ') } : {};
  test(faultTest.title, skip, async (t) => {
    const options = {
      runs,
      seed: 1,
      log: (line: string) => t.diagnostic(line),
      saveProgress: () => {},
    };
    const result = await faultTest.run({ ...options, signal: new AbortController().signal });
    assert.deepEqual(result.violations, []);
    assert.equal(result.runs, runs);
    assert.ok(result.acknowledged > 0);
  });
}
