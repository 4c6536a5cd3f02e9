/**
 * When a task is started at a provider and when it must not be, and what follows each response to a
 * start: the attempt, the job, and which provider is next.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  claimJob,
  claimNewTask,
  lifecycleWith,
  model,
  readAttempts,
  readJob,
} from '../../proof/kit/lifecycle-fixture.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import {
  createScriptedProvider,
  type Scripted,
  type StartStep,
} from '../../proof/kit/scripted-provider.ts';
import { LeaseLost } from '../queue/job.ts';
import {
  closeAttempts,
  openAttempt,
  recordOperation,
  setStartUncertain,
} from '../tasks/attempts.ts';
import { listAttempts } from '../tasks/find-attempts.ts';
import { findTask } from '../tasks/store.ts';
import { submit } from './submit.ts';

const { db } = await useDatabase();

const starts = ({ calls }: ReturnType<typeof createScriptedProvider>) =>
  calls.filter(({ kind }) => kind === 'start').length;

test('does not call the provider when the intent was written too long ago', async (t) => {
  const gpu = createScriptedProvider({ name: 'gpu' });
  const lifecycle = lifecycleWith(db, [gpu]);
  const job = await claimNewTask(db);
  const now = performance.now.bind(performance);
  let pausedMs = 0;
  t.mock.method(performance, 'now', () => now() + pausedMs);
  const { submits } = lifecycle;
  const writeIntent: typeof submits.writeIntent = async (intent) => {
    const attempt = await submits.writeIntent(intent);
    pausedMs = 11_000;
    return attempt;
  };
  await submit({ ...lifecycle, submits: { ...submits, writeIntent } }, job);
  assert.equal(starts(gpu), 0);
  assert.deepEqual(await readAttempts(db, job.taskId), ['gpu: throttled']);
});

test('does not call a provider with a limit after the lease was lost', async () => {
  const gpu = createScriptedProvider({ name: 'gpu' });
  const lifecycle = lifecycleWith(db, [gpu], { gpu: { concurrency: 1 } });
  const job = await claimNewTask(db);
  await db.query('update jobs set fence = fence + 1 where id = $1', [job.id]);
  await assert.rejects(submit(lifecycle, job), LeaseLost);
  assert.equal(starts(gpu), 0);
  assert.deepEqual(await readAttempts(db, job.taskId), []);
});

test('of starts at the same time, a provider gets as many as its limit', async () => {
  const gpu = createScriptedProvider({ name: 'gpu' });
  const lifecycle = lifecycleWith(db, [gpu], { gpu: { concurrency: 2 } });
  const jobs = [await claimNewTask(db), await claimNewTask(db), await claimNewTask(db)];
  await Promise.all(jobs.map((job) => submit(lifecycle, job)));
  assert.equal(starts(gpu), 2);
  const waits = await Promise.all(
    jobs.map(async ({ taskId }) => (await readJob(db, taskId))?.waits),
  );
  assert.deepEqual(waits.filter(Boolean), [[`gpu ${model}`]]);
  await db.query('delete from attempts');
  await db.query('delete from jobs');
});

test('goes to another provider if the one that created nothing was removed', async () => {
  const gpu = createScriptedProvider({ name: 'gpu' });
  const job = await claimNewTask(db);
  const { taskId } = job;
  const removed = { taskId, provider: 'removed', credential: null, reference: 'vg_1' };
  await db.transaction(async (tx) => {
    const { number } = await openAttempt(tx, removed);
    await setStartUncertain(tx, { taskId, number, startUncertain: false, detail: 'busy' });
  });
  const lifecycle = lifecycleWith(db, [gpu]);
  await submit(lifecycle, job);
  await submit(lifecycle, (await claimJob(db))!);
  assert.deepEqual(await readAttempts(db, taskId), ['removed: throttled', 'gpu: open']);
});

test('leaves a start that created nothing to a process that has its provider', async () => {
  await db.query(
    `insert into processes (id, role, providers, routes) values ($1, 'worker', '{}', $2)`,
    [randomUUID(), { [model]: ['gpu'] }],
  );
  const gpu = createScriptedProvider({ name: 'gpu' });
  const job = await claimNewTask(db);
  const { taskId } = job;
  await db.transaction(async (tx) => {
    await openAttempt(tx, { taskId, provider: 'gpu', credential: null, reference: 'vg_2' });
    await closeAttempts(tx, [{ taskId, outcome: 'throttled', detail: 'busy' }]);
  });
  await submit(lifecycleWith(db, []), job);
  assert.equal((await readJob(db, taskId))?.kind, 'submit');
  assert.equal(starts(gpu), 0);
});

test('a new task waits for capacity that others wait for, and takes it in its turn', async () => {
  const gpu = createScriptedProvider({ name: 'gpu' });
  const lifecycle = lifecycleWith(db, [gpu]);
  lifecycle.capacityWaits.replace([`gpu ${model}`]);
  const job = await claimNewTask(db);
  await submit(lifecycle, job);
  assert.deepEqual((await readJob(db, job.taskId))?.waits, [`gpu ${model}`]);
  await db.query('update jobs set ready = true where id = $1', [job.id]);
  const woken = (await claimJob(db))!;
  assert.equal(woken.wasWaiting, true);
  await submit(lifecycle, woken);
  assert.equal(starts(gpu), 1);
});

const readEnd = async (taskId: string) => {
  const task = await findTask(db, taskId);
  return [task?.failedReason, task?.billingStatus];
};

const ends = {
  'whose response was lost': { operation: null, reason: 'submit not answered' },
  'that has the task': { operation: 'theirs-1', reason: 'not told to stop' },
};
for (const [which, { operation, reason }] of Object.entries(ends)) {
  test(`records a possible loss when a provider ${which} is no longer configured`, async () => {
    const job = await claimNewTask(db);
    const { taskId } = job;
    const removed = { taskId, provider: 'removed', credential: null, reference: `vg_${which}` };
    await db.transaction(async (tx) => {
      const { number } = await openAttempt(tx, removed);
      if (operation !== null) await recordOperation(tx, { taskId, number, operation });
    });
    await submit(lifecycleWith(db, []), job);
    const [attempt] = await listAttempts(db, taskId);
    assert.equal(attempt!.outcome, 'abandoned');
    assert.equal(attempt!.loss, `given up while the provider may go on (${reason})`);
    assert.match(attempt!.detail!, /removed is no longer configured/);
    assert.deepEqual(await readEnd(taskId), ['provider_failed', 'refunded']);
  });
}

const provider = (name: string, ...start: Scripted<StartStep>[]) =>
  createScriptedProvider({ name, script: { start } });

type Row = [
  response: string,
  start: Scripted<StartStep>,
  attempts: string[],
  job: { kind: string; waits: string[] | null; delay: number },
];
const waits = (...names: string[]) => names.map((name) => `${name} ${model}`);
const table: readonly Row[] = [
  ['accepted', 'accepted', ['one: open'], { kind: 'poll', waits: null, delay: 0 }],
  ['lost', 'lost', ['one: open'], { kind: 'submit', waits: null, delay: 2 }],
  ['an exception', 'throws', ['one: open'], { kind: 'submit', waits: null, delay: 2 }],
  ['refused by it', 'refused', ['one: refused'], { kind: 'submit', waits: null, delay: 0 }],
  ['busy', 'busy', ['one: throttled'], { kind: 'submit', waits: waits('full', 'one'), delay: 300 }],
  ['not now', 'throttled', ['one: throttled'], { kind: 'submit', waits: waits('full'), delay: 1 }],
];
for (const [response, start, attempts, job] of table) {
  test(`${response}, while the other provider is full`, async () => {
    const full = provider('full', 'accepted');
    const lifecycle = lifecycleWith(db, [provider('one', start), full], {
      full: { concurrency: 1 },
    });
    const { taskId } = await claimNewTask(db);
    const other = { taskId, provider: 'full', credential: null, reference: `vg_${taskId}` };
    await db.transaction((tx) => openAttempt(tx, other));
    const submitted = await claimNewTask(db);
    await submit(lifecycle, submitted);
    assert.deepEqual(await readAttempts(db, submitted.taskId), attempts);
    const { delay, ...found } = (await readJob(db, submitted.taskId))!;
    assert.deepEqual({ ...found, delay: Math.min(delay, job.delay) }, job);
    await db.query('delete from attempts');
    await db.query('delete from jobs');
  });
}

test('a busy provider is followed by another with capacity, at once', async () => {
  const lifecycle = lifecycleWith(db, [provider('one', 'busy'), provider('two', 'accepted')]);
  const job = await claimNewTask(db);
  await submit(lifecycle, job);
  await submit(lifecycle, (await claimJob(db))!);
  assert.deepEqual(await readAttempts(db, job.taskId), ['one: throttled', 'two: open']);
});

test('content that a provider rejects goes to no other, and is refunded', async () => {
  const lifecycle = lifecycleWith(db, [provider('one', 'rejected'), provider('two', 'accepted')]);
  const { taskId, ...job } = await claimNewTask(db);
  await submit(lifecycle, { ...job, taskId });
  assert.deepEqual(await readAttempts(db, taskId), ['one: refused']);
  assert.deepEqual(await readEnd(taskId), ['provider_rejected', 'refunded']);
});
