/** Outcomes of jobs are committed together, except those of lost leases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Transaction } from '../../database/database.ts';
import { type Job, LeaseLost } from '../../queue/job.ts';
import { commitLeased } from './leased-commit.ts';

const items = [1, 2, 3].map((id) => ({ job: { id, taskId: `task_${id}` } as Job }));
const leases: readonly [leased: number[], committed: string[]][] = [
  [
    [1, 2, 3],
    ['task_1', 'task_2', 'task_3'],
  ],
  [
    [1, 3],
    ['task_1', 'task_3'],
  ],
  [[], []],
];
for (const [leased, expected] of leases) {
  test(`commits ${expected.join(', ') || 'nothing'} if the others are lost`, async () => {
    const committed: string[] = [];
    let written: string[] = [];
    const transaction = async (work: (tx: Transaction) => Promise<unknown>) => {
      written = [];
      const result = await work({} as Transaction);
      committed.push(...written);
      return result;
    };
    const outcomes = await commitLeased({ transaction } as Database, items, async (_, batch) => {
      written = batch.map(({ job }) => job.taskId);
      return { leased: new Set(leased), outcomes: written };
    });
    assert.deepEqual(committed, expected);
    const shown = outcomes.map((outcome) => (outcome instanceof LeaseLost ? null : outcome));
    const ofLeased = items.map(({ job }) => (leased.includes(job.id) ? job.taskId : null));
    assert.deepEqual(shown, ofLeased);
  });
}
