/** Jobs are leased, fenced, shared fairly, and claimable again when their worker crashes. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { countRowsRead } from '../../proof/kit/rows-read.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, type SeededAccount, seedAccount } from '../../proof/kit/seed.ts';
import type { Queryable, Row } from '../database/database.ts';
import { createAcceptTask } from '../lifecycle/accept.ts';
import { insertDeliveries } from '../webhooks/delivery.ts';
import { type ClaimOptions, claim, lastAccountId, promoteDue } from './claim.ts';
import { enqueue } from './enqueue.ts';
import { type Job, LeaseLost } from './job.ts';
import {
  finish,
  holdLeases,
  lockJobs,
  release,
  renew,
  reschedule,
  rescheduleAll,
} from './outcome.ts';
import { rescue, watchClock } from './rescuer.ts';

const scratch = await useDatabase();
beforeEach(() => scratch.db.query('delete from jobs'));

async function queueTasks(account: SeededAccount, count: number): Promise<void> {
  const accept = createAcceptTask(scratch);
  await Promise.all(Array.from({ length: count }, () => accept(createOf(account, { credits: 1 }))));
}
/** Ended tasks with one webhook to each URL. */
async function queueWebhooks(account: SeededAccount, urls: readonly string[]): Promise<void> {
  await queueTasks(account, urls.length);
  const submits = await take(urls.length, { queue: 'default' });
  await scratch.db.query('delete from jobs');
  const { accountId } = account;
  await scratch.db.transaction(async (tx) => {
    const deliveries = await insertDeliveries(
      tx,
      submits.map(({ taskId }, index) => ({
        ...({ accountId, taskId, mode: 'live', url: urls[index]!, body: '{}' } as const),
      })),
    );
    await enqueue(
      tx,
      deliveries.map(({ id: deliveryId, taskId, url: receiverUrl }) => ({
        kind: 'notify',
        accountId,
        taskId,
        deliveryId,
        receiverUrl,
      })),
    );
  });
}

const claimOptions = (jobsMax: number): ClaimOptions => ({
  owner: 'a',
  queue: 'default',
  jobsMax,
  perAccountMax: 100,
  perReceiverMax: 100,
  includeIsolated: true,
});
const take = (jobsMax: number, changes: Partial<ClaimOptions> = {}) =>
  claim(scratch.db, { ...claimOptions(jobsMax), ...changes });

test('claims one job of each account before a second of any', async () => {
  const noisy = await seedAccount(scratch.db, { credits: 1000 });
  await queueTasks(noisy, 50);
  const small = await Promise.all([1, 2, 3].map(() => seedAccount(scratch.db, { credits: 10 })));
  for (const account of small) await queueTasks(account, 2);
  const first = await take(4);
  assert.equal(new Set(first.map(({ accountId }) => accountId)).size, 4);
  const second = await take(6);
  const ofSmall = second.filter(({ accountId }) => accountId !== noisy.accountId);
  assert.equal(ofSmall.length, 3);
});

test('goes on after the last account when more accounts wait than it may claim', async () => {
  const accounts = await Promise.all(
    [1, 2, 3, 4, 5].map(() => seedAccount(scratch.db, { credits: 10 })),
  );
  for (const account of accounts) await queueTasks(account, 2);
  let afterAccountId = accounts[2]!.accountId;
  const claimed: string[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const jobs = await take(2, { afterAccountId });
    afterAccountId = lastAccountId(jobs, afterAccountId);
    claimed.push(...jobs.map(({ accountId }) => accountId).sort());
  }
  assert.equal(new Set(claimed.slice(0, 4)).size, 4);
  assert.equal(new Set(claimed.slice(4, 8)).size, 4);
  const each = Object.values(Object.groupBy(claimed, (id) => id)).map((jobs) => jobs?.length);
  assert.deepEqual(each, [2, 2, 2, 2, 2]);
});

test('reads as many rows when 3,000 accounts wait as when 300 do', async () => {
  const rowsRead = async (accounts: number) => {
    await scratch.db.transaction(async (tx) => {
      await tx.query(`set local session_replication_role = 'replica'`);
      await tx.query('delete from jobs');
      await tx.query(
        `insert into jobs (kind, queue, account_id, task_id, run_at, ready, receiver)
         select 'submit', 'default', gen_random_uuid(), nth::text, now(), true, 0
         from generate_series(1, $1::integer) nth`,
        [accounts],
      );
    });
    await scratch.db.runAlone('vacuum analyze jobs');
    return await countRowsRead(scratch.db, (db) => claim(db, claimOptions(5)));
  };
  assert.equal(await rowsRead(3000), await rowsRead(300));
});

test('leases no more jobs of one account than its limit', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  await queueTasks(account, 10);
  assert.equal((await take(10, { perAccountMax: 3 })).length, 3);
  assert.equal((await take(10, { perAccountMax: 3, owner: 'b' })).length, 0);
});

test('limits the webhooks of one receiver and leaves slots for the others', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const dead = Array.from(
    { length: 20 },
    (_, index) => `https://Dead.example:8443/hook?n=${index}`,
  );
  const alive = ['https://alive.example/hook', 'https://alive.example/other'];
  await queueWebhooks(account, [...dead, ...alive]);
  const webhookLimits = { queue: 'webhooks', perAccountMax: 32, perReceiverMax: 8 } as const;
  /** How many of the jobs go to each receiver. */
  const countByReceiver = async (jobs: readonly Job[]) => {
    const { rows } = await scratch.db.query<{ url: string }>(
      'select url from deliveries where id = any($1::text[])',
      [jobs.map(({ deliveryId }) => deliveryId)],
    );
    const toAlive = rows.filter(({ url }) => alive.includes(url)).length;
    return { dead: rows.length - toAlive, alive: toAlive };
  };
  const few = await take(100, { ...webhookLimits, perAccountMax: 5 });
  assert.deepEqual(await countByReceiver(few), { dead: 3, alive: 2 });
  await release(scratch.db, few);
  assert.deepEqual(await countByReceiver(await take(100, webhookLimits)), { dead: 8, alive: 2 });
  assert.equal((await take(100, { ...webhookLimits, owner: 'b' })).length, 0);
});

test('leases a job to one of many workers that claim at once', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 1000 }), 40);
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, at) => take(10, { owner: `w${at}` })),
  );
  const ids = claims.flat().map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('rejects the outcome of a worker that lost its lease', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 1);
  const [stale] = (await take(1)) as [Job];
  await scratch.db.query(`update jobs set lease_until = now() - interval '1 second'`);
  assert.equal(await rescue(scratch.db), 1);
  assert.deepEqual(await renew(scratch.db, [stale]), new Set());
  const [fresh] = (await take(1, { owner: 'b' })) as [Job];
  assert.equal(fresh.crashCount, 1);
  await assert.rejects(
    scratch.db.transaction((tx) => finish(tx, stale)),
    LeaseLost,
  );
  const next = { kind: 'poll', delaySeconds: 0, retry: false } as const;
  await assert.rejects(reschedule(scratch.db, stale, next), LeaseLost);
  await scratch.db.transaction((tx) => finish(tx, fresh));
});

test('does not rescue the jobs of the worker that rescues, whatever the clock says', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 2);
  const [ours] = (await take(1, { owner: 'a' })) as [Job];
  const [others] = (await take(1, { owner: 'b' })) as [Job];
  await scratch.db.query(`update jobs set lease_until = now() - interval '1 hour'`);
  assert.equal(await rescue(scratch.db, { callingOwner: 'a' }), 1);
  assert.deepEqual(await renew(scratch.db, [ours, others]), new Set([ours.id]));
});

test('rescues leases of a clock that was ahead, after the time of one lease', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 2);
  const [dead, live] = (await take(2)) as [Job, Job];
  await scratch.db.query(`update jobs set lease_until = now() + interval '10 minutes'`);
  assert.equal(await rescue(scratch.db), 0, 'a live worker has time to renew its lease');
  await scratch.db.query(`update jobs set lease_until = lease_until - interval '15 seconds'`);
  await renew(scratch.db, [live]);
  assert.equal(await rescue(scratch.db), 1);
  assert.deepEqual(await renew(scratch.db, [dead, live]), new Set([live.id]));
});

test('holding leases extends those that end soon, and finds those that were lost', async () => {
  const account = await seedAccount(scratch.db, { credits: 10 });
  await queueTasks(account, 4);
  const jobs = await take(4);
  const [fresh, old, released, stolen] = jobs as [Job, Job, Job, Job];
  await scratch.db.query(
    `update jobs set lease_until =
       now() + case when id = $1 then interval '12 seconds' else interval '1 hour' end`,
    [old.id],
  );
  await release(scratch.db, [released]);
  await scratch.db.query('update jobs set fence = fence + 1 where id = $1', [stolen.id]);
  const read = async () =>
    (
      await scratch.db.query<{ id: number; until: Date | null }>(
        'select id, lease_until as until from jobs where id = any($1::bigint[]) order by id',
        [[fresh.id, old.id]],
      )
    ).rows.map(({ until }) => until!.getTime());
  const before = await read();
  const held = await scratch.db.transaction((tx) => holdLeases(tx, jobs));
  assert.deepEqual(held, new Set([fresh.id, old.id]));
  const after = await read();
  assert.equal(after[0], before[0]);
  assert(after[1]! > before[1]! + 2_000);
});

test('resets the crash count when a step is done, and counts an attempt for a retry', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 1);
  await take(1);
  await rescue(scratch.db, { soleLiveOwner: 'b' });
  const [job] = (await take(1)) as [Job];
  assert.equal(job.crashCount, 1);
  await reschedule(scratch.db, job, { kind: 'poll', delaySeconds: 0, retry: true });
  const [again] = (await take(1, { queue: 'polls' })) as [Job];
  assert.deepEqual([again.kind, again.crashCount, again.attempts], ['poll', 0, 1]);
});

test('claims jobs that crashed two workers one at a time, without delaying others', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 4);
  for (let crashes = 0; crashes < 2; crashes++) {
    assert.equal((await take(10)).length, 4);
    await rescue(scratch.db, { soleLiveOwner: 'b' });
  }
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 2);
  const claimed = await take(10);
  assert.deepEqual(claimed.map(({ crashCount }) => crashCount).sort(), [0, 0, 2]);
  assert.deepEqual(await take(10, { includeIsolated: false }), []);
  await rescue(scratch.db, { soleLiveOwner: 'b' });
  const { rows } = await scratch.db.query('select crash_count from jobs order by crash_count');
  assert.deepEqual(
    rows.map(({ crash_count }) => crash_count),
    [1, 1, 2, 2, 2, 3],
  );
});

test('claims scheduled jobs when their time has come, not before', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 1);
  const [job] = (await take(1)) as [Job];
  await reschedule(scratch.db, job, { kind: 'poll', delaySeconds: 60, retry: false });
  await promoteDue(scratch.db);
  assert.deepEqual(await take(1, { queue: 'polls' }), []);
  await scratch.db.query(`update jobs set run_at = now()`);
  await promoteDue(scratch.db);
  assert.equal((await take(1, { queue: 'polls' })).length, 1);
});

test('reschedules many jobs at once, except those whose lease was lost', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 3);
  const jobs = await take(3);
  const [lost, ...held] = jobs as [Job, ...Job[]];
  await scratch.db.query(
    `update jobs set lease_until = now() - interval '1 second' where id = $1`,
    [lost.id],
  );
  await rescue(scratch.db);
  const [fresh] = (await take(1, { owner: 'b' })) as [Job];
  const next = { kind: 'poll', delaySeconds: 60, retry: false } as const;
  const rescheduled = await rescheduleAll(
    scratch.db,
    jobs.map((job) => ({ job, next })),
  );
  assert.deepEqual(rescheduled, new Set(held.map(({ id }) => id)));
  assert.deepEqual(
    await scratch.db.transaction((tx) => lockJobs(tx, { jobs: [lost], taskIds: [] })),
    new Set(),
  );
  assert.deepEqual(await renew(scratch.db, [fresh]), new Set([lost.id]));
});

test('does not let polls delay submits', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  await queueTasks(account, 3);
  for (const job of await take(3)) {
    await reschedule(scratch.db, job, { kind: 'poll', delaySeconds: 0, retry: false });
  }
  await queueTasks(account, 1);
  assert.deepEqual(
    (await take(10)).map(({ kind }) => kind),
    ['submit'],
  );
  assert.equal((await take(10, { queue: 'polls' })).length, 3);
});

test('makes released jobs claimable at once, without counting a crash', async () => {
  await queueTasks(await seedAccount(scratch.db, { credits: 10 }), 1);
  await release(scratch.db, await take(1));
  const [job] = (await take(1, { owner: 'b' })) as [Job];
  assert.equal(job.crashCount, 0);
});

test('makes jobs that would wait too long runnable after the clock moved back', async () => {
  const { db } = scratch;
  await queueTasks(await seedAccount(db, { credits: 10 }), 2);
  const delayed = (kind: string, minutes: number) => [kind, `${minutes} minutes`];
  const scheduled = [delayed('submit', 5), delayed('poll', 120)];
  await db.query(
    `update jobs j set kind = s.kind, ready = false, run_at = now() + s.wait::interval
     from (select id, row_number() over (order by id) as n from jobs) numbered
     join (values (1, $1, $2), (2, $3, $4)) as s(n, kind, wait) on s.n = numbered.n
     where numbered.id = j.id`,
    scheduled.flat(),
  );
  let rollbackMs = 0;
  const clock: Queryable = {
    async query<R extends Row>(text: string, values?: readonly unknown[]) {
      const result = await db.query<R>(text, values);
      const rows = result.rows.map((row) =>
        typeof row.ms === 'number' ? { ...row, ms: row.ms - rollbackMs } : row,
      );
      return { ...result, rows };
    },
  };
  const watch = watchClock(clock, { webhookDelaySecondsMax: 3600 });
  assert.equal(await watch.check(), 1);
  const { rows } = await db.query('select kind from jobs where ready');
  assert.deepEqual(rows, [{ kind: 'poll' }]);

  await db.query(`update jobs set ready = false, run_at = now() + interval '2 hours'`);
  assert.equal(await watch.check(), 0);
  rollbackMs = 7_200_000;
  assert.equal(await watch.check(), 2);
});
