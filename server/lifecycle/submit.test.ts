/** When a task is started at a provider, and when it must not be. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  claimJob,
  claimNewTask,
  lifecycleWith,
  model,
  readAttempts,
  readJob,
} from '../../proof/kit/lifecycle-fixture.ts';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { createScriptedProvider } from '../../proof/kit/scripted-provider.ts';
import { LeaseLost } from '../queue/job.ts';
import { closeAttempt, openAttempt, setUnanswered } from '../tasks/attempts.ts';
import { submit } from './submit.ts';

let scratch: ScratchDatabase;
before(async () => {
  scratch = await openScratchDatabase();
});
after(() => scratch.close());

const starts = ({ calls }: ReturnType<typeof createScriptedProvider>) =>
  calls.filter(({ kind }) => kind === 'start').length;

test('does not call the provider when the intent was written too long ago', async (t) => {
  const { db } = scratch;
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
  const { db } = scratch;
  const gpu = createScriptedProvider({ name: 'gpu' });
  const lifecycle = lifecycleWith(db, [gpu], { gpu: { concurrency: 1 } });
  const job = await claimNewTask(db);
  await db.query('update jobs set fence = fence + 1 where id = $1', [job.id]);
  await assert.rejects(submit(lifecycle, job), LeaseLost);
  assert.equal(starts(gpu), 0);
  assert.deepEqual(await readAttempts(db, job.taskId), []);
});

test('goes to another provider if the one that created nothing was removed', async () => {
  const { db } = scratch;
  const gpu = createScriptedProvider({ name: 'gpu' });
  const job = await claimNewTask(db);
  const { taskId } = job;
  const removed = { taskId, provider: 'removed', credential: null, reference: 'vg_1' };
  await db.transaction(async (tx) => {
    const { number } = await openAttempt(tx, removed);
    await setUnanswered(tx, { taskId, number, unanswered: false, detail: 'busy' });
  });
  const lifecycle = lifecycleWith(db, [gpu]);
  await submit(lifecycle, job);
  await submit(lifecycle, (await claimJob(db))!);
  assert.deepEqual(await readAttempts(db, taskId), ['removed: throttled', 'gpu: open']);
});

test('leaves a start that created nothing to a process that has its provider', async () => {
  const { db } = scratch;
  await db.query(
    `insert into processes (id, role, providers, routes) values ($1, 'worker', '{}', $2)`,
    [randomUUID(), { [model]: ['gpu'] }],
  );
  const gpu = createScriptedProvider({ name: 'gpu' });
  const job = await claimNewTask(db);
  const { taskId } = job;
  await db.transaction(async (tx) => {
    await openAttempt(tx, { taskId, provider: 'gpu', credential: null, reference: 'vg_2' });
    await closeAttempt(tx, { taskId, outcome: 'throttled', detail: 'busy' });
  });
  await submit(lifecycleWith(db, []), job);
  assert.equal((await readJob(db, taskId))?.kind, 'submit');
  assert.equal(starts(gpu), 0);
});

test('a new task waits for room that others wait for, and takes it in its turn', async () => {
  const { db } = scratch;
  const gpu = createScriptedProvider({ name: 'gpu' });
  const lifecycle = lifecycleWith(db, [gpu]);
  lifecycle.waitedFor.replace([`gpu ${model}`]);
  const job = await claimNewTask(db);
  await submit(lifecycle, job);
  assert.deepEqual((await readJob(db, job.taskId))?.waits, [`gpu ${model}`]);
  await db.query('update jobs set ready = true where id = $1', [job.id]);
  const woken = (await claimJob(db))!;
  assert.equal(woken.wasWaiting, true);
  await submit(lifecycle, woken);
  assert.equal(starts(gpu), 1);
});
