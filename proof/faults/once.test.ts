/**
 * Proofs of `npm run faults` that need a server, a disk or a crowd of their own, each run once and
 * small.
 * One engine: the proofs bring their own databases.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crowd } from './crowd/crowd.ts';
import { databaseDiskFull } from './database/disk-full.ts';
import { standbyFailover } from './database/failover.ts';
import { lacking } from './platform.ts';
import type { Proof } from './proof.ts';

// Theirs are not the server of the other tests, and not its template.
delete process.env.VIDGEN_TEST_TEMPLATE;

const once: readonly (readonly [proof: Proof, runs: number])[] = [
  [standbyFailover, 1],
  [databaseDiskFull, 1],
  [crowd, 5000],
];

for (const [proof, runs] of once) {
  const sentences = lacking(proof.needs);
  const skip = sentences.length > 0 ? { skip: sentences.join('; ') } : {};
  test(proof.title, skip, async (t) => {
    const order = { runs, seed: 1, say: (line: string) => t.diagnostic(line), keep: () => {} };
    const outcome = await proof.run({ ...order, signal: new AbortController().signal });
    assert.deepEqual(outcome.violations, []);
    assert.equal(outcome.runs, runs);
    assert.ok(outcome.acknowledged > 0);
  });
}
