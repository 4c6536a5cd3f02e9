import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Transaction } from '../../database/database.ts';
import { type Job, LeaseLost } from '../../queue/job.ts';
import { commitLeased } from './leased-commit.ts';

const jobOf = (id: number): Job => ({
  id,
  kind: 'notify',
  accountId: 'account',
  taskId: `task_${id}`,
  deliveryId: `msg_${id}`,
  fence: 1,
  attempts: 0,
  wasWaiting: false,
  crashCount: 0,
});

/** A database that remembers what was committed. */
function recordingDatabase() {
  const committed: string[] = [];
  let written: string[] = [];
  const db = {
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      written = [];
      const result = await work({} as Transaction);
      committed.push(...written);
      return result;
    },
  } as Database;
  const write = (text: string) => void written.push(text);
  return { db, committed, write };
}

const items = [1, 2, 3].map((id) => ({ job: jobOf(id) }));

test('commits everything but what belongs to a lost lease', async () => {
  const { db, committed, write } = recordingDatabase();
  const outcomes = await commitLeased(db, items, async (_, batch) => {
    for (const { job } of batch) write(job.taskId);
    return { leased: new Set([1, 3]), outcomes: batch.map(({ job }) => job.taskId) };
  });
  assert.deepEqual(committed, ['task_1', 'task_3']);
  assert.equal(outcomes[0], 'task_1');
  assert.ok(outcomes[1] instanceof LeaseLost);
  assert.equal(outcomes[2], 'task_3');
});

test('commits nothing when every lease was lost', async () => {
  const { db, committed, write } = recordingDatabase();
  const outcomes = await commitLeased(db, items, async () => {
    write('anything');
    return { leased: new Set(), outcomes: [] };
  });
  assert.deepEqual(committed, []);
  assert.ok(outcomes.every((outcome) => outcome instanceof LeaseLost));
});

test('an error of the database is thrown, and nothing is written again', async () => {
  const { db } = recordingDatabase();
  let writes = 0;
  const failing = commitLeased(db, items, async () => {
    writes += 1;
    throw new Error('connection lost');
  });
  await assert.rejects(failing, /connection lost/);
  assert.equal(writes, 1);
});
