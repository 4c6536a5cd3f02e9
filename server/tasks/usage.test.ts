/** Sums and durations of tasks with known times, and that each query reads only its range. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, generationOf, type SeededAccount, seedAccount } from '../../proof/kit/seed.ts';
import { createAcceptTask } from '../lifecycle/accept.ts';
import { eraseTasks } from './retention.ts';
import { idsSince, idsUntil, newTaskId } from './task-id.ts';
import { listTasks } from './task-list.ts';
import { creditsOfKeys, readFailures, readUsage } from './usage.ts';
import { addUsageDay } from './usage-days.ts';

const { db } = await useDatabase();

const day = 86_400_000;

type PastTask = {
  readonly generation?: Partial<Generation>;
  readonly daysAgo?: number;
  /** From creation to completion; without it the task failed. */
  readonly seconds?: number;
};

/** Inserts a task that was created and ended in the past, with an ID of that time. */
async function seedPastTask(account: SeededAccount, past: PastTask): Promise<Date> {
  const { daysAgo = 0, seconds } = past;
  const create = createOf(account, { generation: generationOf(past.generation) });
  const accepted = await createAcceptTask({ db })(create);
  assert('taskId' in accepted);
  const at = new Date(Date.now() - daysAgo * day);
  const id = idsSince(new Date(at.getTime() + 3_600_000)).slice(0, 15) + newTaskId().slice(15);
  // The triggers allow status changes only, so they are disabled for past rows.
  await db.transaction(async (tx) => {
    await tx.query('delete from jobs where task_id = $1', [accepted.taskId]);
    await tx.query('alter table tasks disable trigger tasks_move');
    await tx.query(
      `update tasks set id = $2, created_at = $3::timestamptz, deadline_at = $3::timestamptz,
         status = case when $4::float8 is null then 'failed' else 'completed' end,
         billing_status = case when $4::float8 is null then 'refunded' else 'charged' end,
         failed_reason = case when $4::float8 is null then 'provider_failed' end,
         result = case when $4::float8 is null then null else '{}'::jsonb end,
         expires_at = case when $4::float8 is null then null else now() end,
         finished_at = $3::timestamptz + make_interval(secs => coalesce($4::float8, 1))
       where id = $1`,
      [accepted.taskId, id, at.toISOString(), seconds ?? null],
    );
    await tx.query('alter table tasks enable trigger tasks_move');
  });
  return at;
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const rangeOf = ({ accountId }: SeededAccount, days: number) => ({
  accountId,
  mode: 'live' as const,
  since: new Date(Date.now() - days * day),
  until: new Date(Date.now() + 1000),
});

describe('usage', () => {
  test('is counted by day, model, resolution, status, key; only completed tasks cost', async () => {
    const account = await seedAccount(db, { credits: 1000 });
    const today = await seedPastTask(account, { seconds: 10 });
    await seedPastTask(account, { seconds: 20 });
    await seedPastTask(account, {});
    const earlier = await seedPastTask(account, { daysAgo: 3, seconds: 30 });
    await seedPastTask(account, { daysAgo: 3, seconds: 30, generation: { resolution: '720p' } });
    await seedPastTask(account, { daysAgo: 9, seconds: 30 });
    const other = await seedAccount(db, { credits: 1000 });
    await seedPastTask(other, { seconds: 10 });

    const { counts: rows } = await readUsage(db, rangeOf(account, 7));
    const failures = await readFailures(db, rangeOf(account, 7));
    assert.deepEqual(failures, [{ reason: 'provider_failed', tasks: 1 }]);
    const ofOtherKey = { ...rangeOf(account, 7), keyId: other.keyId };
    assert.deepEqual(await readFailures(db, ofOtherKey), []);
    const shown = rows.map(({ day: on, resolution, status, tasks, credits }) =>
      [on, resolution, status, tasks, credits].join(' '),
    );
    assert.deepEqual(shown, [
      `${dayOf(earlier)} 480p completed 1 5`,
      `${dayOf(earlier)} 720p completed 1 5`,
      `${dayOf(today)} 480p completed 2 10`,
      `${dayOf(today)} 480p failed 1 0`,
    ]);
    const { model, keyId } = rows[0]!;
    assert.deepEqual([model, keyId], ['vidgen-2-0-mini', account.keyId]);
    const others = [{ model: 'vidgen-2-5' }, { keyId: other.keyId }, { mode: 'test' }] as const;
    for (const filter of others) {
      const used = await readUsage(db, { ...rangeOf(account, 7), ...filter });
      assert.deepEqual(used, { counts: [], times: [] });
    }

    const since = new Date(Date.now() - 7 * day);
    const credits = await creditsOfKeys(db, { accountId: account.accountId, since });
    assert.deepEqual([...credits], [[account.keyId, 20]]);
  });

  test('has median and 95th percentile durations, per model and overall', async () => {
    const account = await seedAccount(db, { credits: 1000 });
    for (const seconds of [10, 20, 30]) await seedPastTask(account, { seconds });
    await seedPastTask(account, { seconds: 100, generation: { resolution: '720p' } });
    await seedPastTask(account, {});
    const { times } = await readUsage(db, rangeOf(account, 1));
    const rounded = times.map(({ p50Seconds, p95Seconds, ...kind }) => ({
      ...kind,
      p50: Math.round(p50Seconds * 10) / 10,
      p95: Math.round(p95Seconds * 10) / 10,
    }));
    const model = 'vidgen-2-0-mini';
    assert.deepEqual(rounded, [
      { model, resolution: '480p', tasks: 3, p50: 20, p95: 29 },
      { model, resolution: '720p', tasks: 1, p50: 100, p95: 100 },
      { model: null, resolution: null, tasks: 4, p50: 25, p95: 89.5 },
    ]);
    const emptyAccount = await seedAccount(db);
    const empty = await readUsage(db, rangeOf(emptyAccount, 1));
    assert.deepEqual(empty.times, []);
  });
});

describe('days that are added up', () => {
  /** Makes the days since then the next ones. */
  const startDays = async (daysAgo: number) =>
    await db.query(
      `update usage_rollup set since = first.day, until = first.day from (
         select date_trunc('day', now() - $1 * interval '1 day', 'UTC') as day) first`,
      [daysAgo],
    );
  const addDays = async () => {
    while (await db.transaction((tx) => addUsageDay(tx)));
  };
  test('give the same usage and times as single tasks, for any period', async () => {
    const account = await seedAccount(db, { credits: 1000 });
    for (const daysAgo of [0, 1, 2, 2, 3, 5, 7]) {
      await seedPastTask(account, { daysAgo, seconds: 10 + daysAgo / 3 });
      await seedPastTask(account, { daysAgo, generation: { resolution: '720p' } });
    }
    const readAll = async () => {
      const periods = [0.5, 1, 2.25, 4, 6, 10].map((days) => rangeOf(account, days));
      return await Promise.all(
        periods.map(async (period) => [
          await readUsage(db, period),
          [...(await creditsOfKeys(db, period))],
        ]),
      );
    };
    const before = await readAll();
    await startDays(6);
    await addDays();
    const { rows } = await db.query<{ days: number }>(
      'select count(distinct day)::int as days from usage_days where account_id = $1',
      [account.accountId],
    );
    assert.ok(rows[0]!.days >= 3, `${rows[0]!.days} days were added`);
    assert.deepEqual(await readAll(), before);
  });

  test('count deleted tasks like others, before and after they are added', async () => {
    await db.query('truncate usage_days');
    await startDays(0);
    const account = await seedAccount(db, { credits: 1000 });
    for (const daysAgo of [0, 3, 3, 4]) await seedPastTask(account, { daysAgo, seconds: 10 });
    await seedPastTask(account, { daysAgo: 3 });
    const readAll = async () => [
      await readUsage(db, rangeOf(account, 3.5)),
      await readUsage(db, rangeOf(account, 10)),
      await creditsOfKeys(db, rangeOf(account, 10)),
    ];
    const before = await readAll();
    const filter = { accountId: account.accountId, limit: 10 };
    const tasks = await listTasks(db, filter);
    await db.transaction((tx) => eraseTasks(tx, tasks.slice(0, 4)));
    assert.deepEqual(await readAll(), before);
    await startDays(10);
    await addDays();
    assert.deepEqual(await readAll(), before);
  });

  test('end before a day with an unfinished task, and are added once', async () => {
    const account = await seedAccount(db, { credits: 1000 });
    const accepted = await createAcceptTask({ db })(createOf(account));
    assert('taskId' in accepted);
    await db.transaction(async (tx) => {
      await tx.query('alter table tasks disable trigger tasks_move');
      await tx.query(`update tasks set created_at = created_at - interval '3 days' where id = $1`, [
        accepted.taskId,
      ]);
      await tx.query('alter table tasks enable trigger tasks_move');
    });
    await db.query('truncate usage_days');
    await startDays(5);
    const add = () => db.transaction((tx) => addUsageDay(tx));
    assert.deepEqual([await add(), await add(), await add()], [true, true, false]);
    const together = await db.transaction(async (tx) => {
      await tx.query('select from usage_rollup for update');
      return await add();
    });
    assert.equal(together, false);
  });

  test('by a clock that was ahead are added again, with the tasks created since', async () => {
    const account = await seedAccount(db, { credits: 100 });
    await seedPastTask(account, { seconds: 10 });
    await db.query(
      `update usage_rollup
       set since = now() - interval '9 days', until = now() + interval '2 days'`,
    );
    await addDays();
    const { counts } = await readUsage(db, rangeOf(account, 1));
    assert.equal(counts.length, 1);
  });
});

test('keeps every ID within the bounds of its time', () => {
  const at = new Date();
  const id = newTaskId();
  assert(idsSince(at) < id && id < idsUntil(at));
  assert(idsSince(new Date(0)) < id && id < idsUntil(new Date(8.64e15)));
});
