/** Jobs that wait for capacity are woken fairly, oldest first, and cost nothing meanwhile. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { countRowsRead } from '../../proof/kit/rows-read.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, type SeededAccount, seedAccount } from '../../proof/kit/seed.ts';
import { createAcceptTask } from '../lifecycle/accept.ts';
import { claim, firstAccountId, promoteDue } from './claim.ts';
import type { Job } from './job.ts';
import { reschedule } from './outcome.ts';
import { listCapacityWaits, waitForCapacity, wake, wakeAll } from './waiting.ts';

const scratch = await useDatabase();
beforeEach(() => scratch.db.query('delete from jobs'));

const jobsMax = 5000;
const take = () =>
  claim(scratch.db, {
    ...({ owner: 'a', queue: 'default', jobsMax, includeIsolated: true } as const),
    perAccountMax: jobsMax,
    perReceiverMax: jobsMax,
  });
const byTask = (jobs: readonly Job[]) => jobs.map(({ taskId }) => taskId).toSorted();

/** New tasks of the account, whose jobs wait for these keys; oldest first. */
async function waiting(
  account: SeededAccount,
  {
    capacityKeys,
    count = 1,
  }: { readonly capacityKeys: readonly string[]; readonly count?: number },
): Promise<string[]> {
  const accept = createAcceptTask(scratch);
  await Promise.all(Array.from({ length: count }, () => accept(createOf(account, { credits: 1 }))));
  const jobs = await take();
  // The order in which they begin to wait makes no difference.
  for (const job of jobs.toReversed()) {
    await waitForCapacity(scratch.db, [{ job, capacityKeys, secondsMax: 300 }]);
  }
  return byTask(jobs);
}
const wakeFor = async (
  capacityKeys: readonly string[],
  most: number,
  afterAccountId = firstAccountId,
) => {
  const { lastAccountId } = await wake(scratch.db, { capacityKeys, jobsMax: most, afterAccountId });
  const jobs = await take();
  return { jobs, lastAccountId };
};
const twoAccounts = async () => {
  const accounts = [1, 2].map(() => seedAccount(scratch.db, { credits: 5000 }));
  return (await Promise.all(accounts)).toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
};

test('one task of each account is woken before a second of any, the oldest first', async () => {
  const [noisy, small] = (await twoAccounts()) as [SeededAccount, SeededAccount];
  const capacityKeys = ['gpu'];
  const many = await waiting(noisy, { capacityKeys, count: 5 });
  const few = await waiting(small, { capacityKeys, count: 2 });
  const first = await wakeFor(capacityKeys, 1);
  assert.deepEqual(byTask(first.jobs), [many[0]]);
  const second = await wakeFor(capacityKeys, 1, first.lastAccountId);
  assert.deepEqual(byTask(second.jobs), [few[0]]);
  const others = await wakeFor(capacityKeys, 3, second.lastAccountId);
  assert.deepEqual(byTask(others.jobs), [many[1], many[2], few[1]].toSorted());
  assert.equal((await wakeFor(capacityKeys, 10, others.lastAccountId)).jobs.length, 2);
  assert.deepEqual(await listCapacityWaits(scratch.db), []);
});

test('only those are woken that wait for the same capacity', async () => {
  const [account] = (await twoAccounts()) as [SeededAccount];
  const [either] = await waiting(account, { capacityKeys: ['gpu-b', 'gpu-a'] });
  const [one] = await waiting(account, { capacityKeys: ['gpu-a'] });
  assert.deepEqual(await listCapacityWaits(scratch.db), [['gpu-a'], ['gpu-a', 'gpu-b']]);
  assert.deepEqual(byTask((await wakeFor(['gpu-b'], 5)).jobs), []);
  assert.deepEqual(byTask((await wakeFor(['gpu-a'], 5)).jobs), [one]);
  assert.deepEqual(byTask((await wakeFor(['gpu-a', 'gpu-b'], 5)).jobs), [either]);
});

test('a job that is not woken is due by itself in the end, and all at once if asked', async () => {
  const [account] = (await twoAccounts()) as [SeededAccount];
  const tasks = await waiting(account, { capacityKeys: ['gpu'], count: 2 });
  await promoteDue(scratch.db);
  assert.deepEqual(await take(), []);
  await scratch.db.query(
    `update jobs set run_at = now() - interval '1 second' where task_id = $1`,
    [tasks[1]],
  );
  await promoteDue(scratch.db);
  const [due] = await take();
  assert.equal(due!.taskId, tasks[1]);
  // It does not wait any more, also when it is scheduled again.
  await reschedule(scratch.db, due!, { kind: 'poll', delaySeconds: 60, retry: false });
  assert.deepEqual(byTask((await wakeFor(['gpu'], 5)).jobs), [tasks[0]]);
  await waiting(account, { capacityKeys: ['gpu'] });
  await wakeAll(scratch.db);
  await promoteDue(scratch.db);
  assert.equal((await take()).length, 1);
});

test('a worker that has lost the lease cannot let the job wait', async () => {
  const [account] = (await twoAccounts()) as [SeededAccount];
  await createAcceptTask(scratch)(createOf(account, { credits: 1 }));
  const [job] = (await take()) as [Job];
  const stale = { ...job, fence: job.fence - 1 };
  const waits = [stale, job].map((one) => ({ job: one, capacityKeys: ['gpu'], secondsMax: 300 }));
  assert.deepEqual([...(await waitForCapacity(scratch.db, waits.slice(0, 1)))], []);
  assert.deepEqual([...(await waitForCapacity(scratch.db, waits.slice(1)))], [job.id]);
});

test('what is read does not grow with the number of jobs that wait', async () => {
  const rowsRead = async (count: number, { knownBefore }: { readonly knownBefore: boolean }) => {
    await scratch.db.query('delete from jobs');
    const [account, other] = (await twoAccounts()) as [SeededAccount, SeededAccount];
    // Other jobs, and statistics of a time when none waited.
    await waiting(other, { capacityKeys: ['cpu'], count: 200 });
    await scratch.db.query(`update jobs set kind = 'expire', waits_for = null`);
    if (knownBefore) await scratch.db.query('analyze jobs');
    await waiting(account, { capacityKeys: ['gpu'], count });
    if (!knownBefore) await scratch.db.query('analyze jobs');
    const options = { capacityKeys: ['gpu'], jobsMax: 2, afterAccountId: firstAccountId };
    return await countRowsRead(scratch.db, async (db) => {
      // Without statistics, the whole of a table as small as this costs less than its index.
      if (!knownBefore) await listCapacityWaits(db);
      await wake(db, options);
    });
  };
  for (const knownBefore of [false, true]) {
    assert.equal(await rowsRead(1000, { knownBefore }), await rowsRead(200, { knownBefore }));
  }
});
